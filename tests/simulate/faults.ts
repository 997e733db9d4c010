// What can go wrong between client and backend, as data.

import type { Middleware } from "@call-transfer/sdk";
import { type OperationDescription, operations } from "@call-transfer/spec";
import type { AttemptRecord } from "./records.ts";

/** How an exchange goes. */
export interface Fault {
  /** Whether the backend carries the request out: not at all, before it is answered, afterwards, or by chance. */
  readonly executes: "never" | "before" | "after" | "maybe";
  /** What comes back: the backend's answer, one that stands in for it, a failure of fetch, or nothing. */
  readonly answer: "backend" | "made" | "failure" | "silence";
  /** How the body ends: whole, nothing or half of it and then silence, a clean end or a broken connection at half. */
  readonly body?: "stall" | "halfStall" | "halfEnd" | "halfBreak";
}

const processed = { executes: "before", answer: "backend" } as const;
const refused = { executes: "never", answer: "failure" } as const;
const standIn = { executes: "maybe", answer: "made" } as const;
const turnedAway = { executes: "never", answer: "made" } as const;

/** Every fault of an exchange. `none` is the exchange as it should be. */
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
  status_429_with_meta: turnedAway,
  status_429_without_meta: turnedAway,
  status_429_hostile_meta: turnedAway,
  status_500_after_apply: { executes: "before", answer: "made" },
  html_502: standIn,
  effect_free_503: turnedAway,
  proxy_503: standIn,
  wrong_content_type: processed,
  cross_origin_redirect: turnedAway,
  duplicated_request: processed,
  answered_then_applied: { executes: "after", answer: "made" },
  latency_below_timeout: processed,
  latency_at_timeout: processed,
  latency_above_timeout: processed,
  backend_restart: { executes: "maybe", answer: "failure" },
  clock_jump: processed,
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** Conditions that hold for a client or a whole world rather than for one exchange. */
export const conditions = ["clock_skew", "abort", "lagging_call_list", "unlisted_queued_calls"] as const;
export type Condition = (typeof conditions)[number];

/** Faults that a storm deals out. */
export const faultNames = (Object.keys(faults) as FaultName[]).filter((name) => name !== "none");

/** Every operation of the contract. */
export const operationList: readonly OperationDescription[] = Object.values(operations);

/** Every fault × operation that a large run must have met. The call list's conditions concern calls alone. */
export const allCells: readonly { readonly fault: FaultName | Condition; readonly operation: OperationDescription }[] =
  [...faultNames, ...conditions].flatMap((fault) =>
    operationList
      .filter(({ resource }) => !/call/.test(fault) || resource === "calls")
      .map((operation) => ({ fault, operation })),
  );

// Middleware of every kind that hands the server's answer on. A Blob is left to the SDK's own tests: reading one waits for
// the machine's event loop, which virtual time does not move.

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

/** What middleware may make of an answer without changing what it says. */
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
  // Only what a body needs: the server's request id, time and Retry-After are gone.
  invented: after(async (response) => {
    const type = response.headers.get("content-type");
    const headers = type === null ? {} : { "content-type": type };
    return new Response((await response.text()) || null, { status: response.status, headers });
  }),
} satisfies Record<string, Middleware>;

export type MiddlewareKind = keyof typeof middlewareKinds;

/** Every kind, in order. */
export const kindNames = Object.keys(middlewareKinds) as MiddlewareKind[];

/** The classes of answers that are read in different ways. */
export const answerClasses = ["success", "no body", "broken", "401", "429", "503", "refusal", "page"] as const;

/** The class of the answer that an attempt got; undefined where none came whole. */
export function answerClassOf({ end, status, code, unreadable }: AttemptRecord): string | undefined {
  if (end !== "answered" || status === undefined) return undefined;
  if (unreadable) return "broken";
  if (status === 204) return "no body";
  if (status < 300) return "success";
  if (code === undefined) return "page";
  return ["401", "429", "503"].includes(String(status)) ? String(status) : "refusal";
}
