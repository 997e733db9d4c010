// The faults between client and backend, and the middleware in front of them, as data.
import type { Middleware } from "@call-transfer/sdk";
import { type OperationDescription, operations } from "@call-transfer/spec";

/** What happens to an exchange. */
export interface Fault {
  /** When the backend executes the request: never, before the response, after it, or before it by chance. */
  readonly executes: "never" | "before" | "after" | "maybe";
  /** What the client gets: the backend's response, a made-up one, an error of fetch, or nothing. */
  readonly answer: "backend" | "made" | "failure" | "silence";
  /** What happens to the body: it stalls at its start or half-way, or half-way it ends or the connection is lost. */
  readonly body?: "stall" | "halfStall" | "halfEnd" | "halfBreak";
}

const processed = { executes: "before", answer: "backend" } as const;
const refused = { executes: "never", answer: "failure" } as const;
const standIn = { executes: "maybe", answer: "made" } as const;
const rejected = { executes: "never", answer: "made" } as const;

/** Every fault of an exchange. `none` is an exchange without a fault. */
export const faults = {
  none: processed,
  refused,
  dns: refused,
  reset_before_send: refused,
  reset_mid_request: refused,
  processed_then_reset: { executes: "before", answer: "failure" },
  black_hole: { executes: "never", answer: "silence" },
  processed_then_black_hole: { executes: "before", answer: "silence" },
  headers_then_stall: { ...processed, body: "stall" },
  mid_body_stall: { ...processed, body: "halfStall" },
  truncated_json: { ...processed, body: "halfEnd" },
  early_eof: { ...processed, body: "halfBreak" },
  status_408: standIn,
  status_429_with_meta: rejected,
  status_429_without_meta: rejected,
  status_429_hostile_meta: rejected,
  status_500_after_apply: { executes: "before", answer: "made" },
  html_502: standIn,
  // Never executed where the client trusts the code.
  effect_free_503: standIn,
  proxy_503: standIn,
  wrong_content_type: processed,
  cross_origin_redirect: rejected,
  duplicated_request: processed,
  answered_then_applied: { executes: "after", answer: "made" },
  latency_below_timeout: processed,
  latency_at_timeout: processed,
  latency_above_timeout: processed,
  backend_restart: { executes: "maybe", answer: "failure" },
  clock_jump: processed,
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** Conditions of a client or a whole world, not of one exchange. */
export const conditions = ["clock_skew", "abort", "lagging_call_list", "unlisted_queued_calls"] as const;
export type Condition = (typeof conditions)[number];

/** The faults that can be drawn for an attempt. */
export const faultNames = (Object.keys(faults) as FaultName[]).filter((name) => name !== "none");

export const operationList: readonly OperationDescription[] = Object.values(operations);

/** Every pair of fault and operation that a large run must cover. The conditions of the call list only concern calls. */
export const allCells: readonly { readonly fault: FaultName | Condition; readonly operation: OperationDescription }[] =
  [...faultNames, ...conditions].flatMap((fault) =>
    operationList
      .filter(({ resource }) => !/call/.test(fault) || resource === "calls")
      .map((operation) => ({ fault, operation })),
  );

// Middleware that replaces responses. The SDK's own tests cover Blob bodies: reading one takes real time.

const after =
  (change: (response: Response) => Promise<Response> | Response): Middleware =>
  async (_request, next) =>
    change(await next());

const encoder = new TextEncoder();

function pieces(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < text.length; at += 7) controller.enqueue(encoder.encode(text.slice(at, at + 7)));
      controller.close();
    },
  });
}

/** The ways in which middleware may replace a response without changing its content. */
export const middlewareKinds = {
  passing: after((response) => response),
  reading: after(async (response) => {
    await response.text();
    return response;
  }),
  "new Response(text)": after(async (response) => new Response((await response.text()) || null, response)),
  "new Response(body)": after((response) => new Response(response.body, response)),
  "new Response(pieces)": after(async (response) => {
    const text = await response.text();
    return new Response(text === "" ? null : pieces(text), response);
  }),
  tee: after((response) => (response.body ? new Response(response.body.tee()[0], response) : response)),
  clone: after(async (response) => {
    const clone = response.clone();
    await response.text();
    return clone;
  }),
  // Drops the request id, the date and Retry-After.
  invented: after(async (response) => {
    const type = response.headers.get("content-type");
    const headers = type === null ? {} : { "content-type": type };
    return new Response((await response.text()) || null, { status: response.status, headers });
  }),
} satisfies Record<string, Middleware>;

export type MiddlewareKind = keyof typeof middlewareKinds;

export const kindNames = Object.keys(middlewareKinds) as MiddlewareKind[];

/** Classes of responses that the SDK reads in different ways. */
export const answerClasses = ["success", "no body", "broken", "401", "429", "503", "refusal", "page"] as const;

/** The class of an attempt's response; undefined without a complete response. */
export function answerClassOf(attempt: {
  readonly end: string;
  readonly status?: number;
  readonly code?: string | undefined;
  readonly unreadable: boolean;
}): string | undefined {
  const { end, status, code, unreadable } = attempt;
  if (end !== "answered" || status === undefined) return undefined;
  if (unreadable) return "broken";
  if (status === 204) return "no body";
  if (status < 300) return "success";
  if (code === undefined) return "page";
  return ["401", "429", "503"].includes(String(status)) ? String(status) : "refusal";
}
