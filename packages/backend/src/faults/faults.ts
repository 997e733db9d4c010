import {
  type ErrorCode,
  type ErrorResponseMeta,
  errorCodes,
  type FieldErrorCode,
  type OperationDescription,
} from "@call-transfer/spec";
import { under } from "../model/input-error.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import { type Problem, problem } from "../model/problem.ts";
import type { Random } from "../model/random.ts";
import { assertFault } from "./fault-check.ts";

/** What a fault does: replaces the response, or damages it in transit. */
export type FaultAction =
  /** Does not process the request. Resets the connection, closes it without a response, or keeps it open without one. */
  | "reset"
  | "empty"
  | "hang"
  /** Processes the request, then resets the connection. */
  | "processThenDrop"
  /** Cuts the response off, sends it slowly, labels it as HTML, or replaces its enum values with unknown ones. */
  | "truncate"
  | "slowBody"
  | "wrongContentType"
  | "unknownEnum"
  /**
   * Responds with an error code (§7.2). `errors` are its field errors, for a code that has them, each with a field error
   * code (§7.3). `meta` is sent unchanged. Both have a default that fits the code.
   */
  | {
      readonly code: ErrorCode;
      readonly errors?: readonly FaultFieldError[];
      readonly meta?: ErrorResponseMeta & { readonly [field: string]: unknown };
    }
  /** Responds with `rate_limit_exceeded`. */
  | { readonly rateLimit: { readonly retryAfterSecs: number } }
  /** Responds with any status and any body: a string, or JSON. */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Delays the request by this many milliseconds of the backend's clock, then processes it. */
  | { readonly latency: number };

/** A field error in the response of a fault. */
export interface FaultFieldError {
  /** The invalid field, e.g. `members[0].ringTimeoutSecs`. */
  readonly field: string;
  readonly code: FieldErrorCode;
  /** Has a general text by default. */
  readonly message?: string;
}

/** A failure to inject into matching requests. */
export interface Fault {
  /** Which requests match; absent criteria match every request. `path` is a path or a path template. */
  readonly match?: { readonly operationId?: string; readonly method?: string; readonly path?: string };
  readonly when?: {
    /** The first matching request that fails, counted from 1; 1 by default. */
    readonly nth?: number;
    /** How many requests fail before the fault is removed; null for no limit; 1 by default. */
    readonly times?: number | null;
    /** The probability that a matching request fails, above 0 and up to 1; 1 by default. */
    readonly probability?: number;
  };
  readonly do: FaultAction;
}

/** The active faults of a backend, in the order in which they were added. */
export interface Faults {
  /** Adds a fault and returns its id. Throws InputError naming the invalid field. */
  add(fault: Fault): string;
  /** Lists the active faults. `nth` and `times` are the counts that remain. */
  list(): readonly (Fault & { readonly id: string })[];
  /** Removes a fault; false if none has this id. */
  remove(id: string): boolean;
  clear(): void;
}

/** The faults that apply to one request: the sum of all latencies, and the first other action. */
export interface MatchedFaults {
  readonly latency: number;
  readonly action: Exclude<FaultAction, { latency: number }> | undefined;
  /** The id of the action's fault, or of the first latency. */
  readonly id: string | undefined;
}

interface ActiveFault {
  readonly id: string;
  readonly fault: Fault;
  /** Counts down to the first request that fails. */
  nth: number;
  /** Counts down the requests that still fail; null for no limit. */
  times: number | null;
}

/** The part of a snapshot that holds the faults. */
export interface FaultsSnapshot {
  /** The number in the last id. */
  readonly last: number;
  readonly waiting: readonly { readonly id: string; readonly [part: string]: unknown }[];
}

/** What the backend itself does with its faults. */
export interface FaultQueue extends Faults {
  /** Returns the faults that apply to a request, and counts them down. */
  match(operation: OperationDescription, path: string): MatchedFaults;
  /** Exports the active faults for a snapshot. */
  keep(): FaultsSnapshot;
  /** Replaces all faults. Throws InputError naming the invalid field, and then changes nothing. */
  restore(snapshot: FaultsSnapshot): void;
}

const noFaults: MatchedFaults = { latency: 0, action: undefined, id: undefined };

/** Creates an empty list of faults for these operations. */
export function createFaults(random: Pick<Random, "next">, operations: readonly OperationDescription[]): FaultQueue {
  let active: ActiveFault[] = [];
  let last = 0;
  const validated = (fault: unknown): Fault => {
    assertFault(fault, operations);
    return structuredClone(fault);
  };
  const list = () =>
    active.map(({ id, fault, nth, times }) => ({ ...structuredClone(fault), id, when: { ...fault.when, nth, times } }));
  return {
    add(fault) {
      const own = validated(fault);
      last += 1;
      active.push(activeFault(`fault-${last}`, own));
      return `fault-${last}`;
    },
    list,
    remove(id) {
      const before = active.length;
      active = active.filter((entry) => entry.id !== id);
      return active.length < before;
    },
    clear() {
      active = [];
    },
    match(operation, path) {
      if (active.length === 0) return noFaults;
      const matched = matchFaults(active, operation, path, random);
      active = active.filter(({ times }) => times !== 0);
      return matched;
    },
    keep: () => ({ last, waiting: list() }),
    restore(snapshot) {
      const restored = snapshot.waiting.map(({ id, ...fault }, index) =>
        activeFault(
          id,
          under(`faults.waiting[${index}]`, () => validated(fault)),
        ),
      );
      active = restored;
      last = snapshot.last;
    },
  };
}

function activeFault(id: string, fault: Fault): ActiveFault {
  const { nth = 1, times = 1 } = fault.when ?? {};
  return { id, fault, nth, times };
}

function matchFaults(
  active: readonly ActiveFault[],
  operation: OperationDescription,
  path: string,
  random: Pick<Random, "next">,
): MatchedFaults {
  let matched = noFaults;
  for (const entry of active) {
    const { do: action } = entry.fault;
    const isLatency = typeof action === "object" && "latency" in action;
    if (!isLatency && matched.action !== undefined) continue;
    if (!isOperation(entry.fault.match, operation, path) || !countDown(entry, random)) continue;
    matched = isLatency
      ? { ...matched, latency: matched.latency + action.latency, id: matched.id ?? entry.id }
      : { ...matched, action, id: entry.id };
  }
  return matched;
}

/** Whether this matching request fails, by the fault's `nth`, `probability` and `times`. */
function countDown(entry: ActiveFault, random: Pick<Random, "next">): boolean {
  if (entry.nth > 1) {
    entry.nth -= 1;
    return false;
  }
  const { probability = 1 } = entry.fault.when ?? {};
  if (probability < 1 && random.next() / 2 ** 32 >= probability) return false;
  if (entry.times !== null) entry.times -= 1;
  return true;
}

function isOperation(match: Fault["match"], operation: OperationDescription, path: string): boolean {
  return (
    (match?.operationId ?? operation.id) === operation.id &&
    (match?.method ?? operation.method).toUpperCase() === operation.method &&
    [undefined, path, operation.path].includes(match?.path)
  );
}

/** The error response of a fault with an error code, with the default `errors` and `meta` of that code. */
export function faultProblem(action: Extract<FaultAction, { code: ErrorCode }>, now: number): Problem {
  const { code, meta = defaultMeta(code, now) } = action;
  const {
    errors = errorCodes[code].hasFieldErrors ? [{ field: "body", code: "invalid_format" as const }] : undefined,
  } = action;
  return problem(code, {
    ...(meta && { meta }),
    ...(errors && { errors: errors.map((error) => ({ message: "is rejected by a fault", ...omitUndefined(error) })) }),
  });
}

function defaultMeta(code: ErrorCode, now: number): ErrorResponseMeta | undefined {
  if (code === "rate_limit_exceeded" || code === "queue_full") return { retryAfterSecs: 1 };
  if (code === "assistant_quota_exceeded") return { resetsAt: new Date(now + 3_600_000).toISOString() };
  return undefined;
}
