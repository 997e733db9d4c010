// What can go wrong between client and backend, as data.
import { type OperationDescription, operations } from "@call-transfer/spec";

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
