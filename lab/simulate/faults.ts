// The faults between client and backend, as data.
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

/** The key of such a pair. */
export const cellKey = (fault: FaultName | Condition, { id }: OperationDescription): string => `${fault} ${id}`;
