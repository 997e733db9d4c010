import {
  type ErrorCode,
  type ErrorResponseMeta,
  errorCodes,
  type FieldErrorCode,
  type OperationDescription,
} from "@call-transfer/spec";
import { type Contract, callTransferContract } from "../http/router.ts";
import { InputError, under } from "../model/input-error.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import { type Problem, problem } from "../model/problem.ts";
import type { Random } from "../model/random.ts";
import { assertFault } from "./fault-check.ts";

/** What takes the place of a rule's answer, or befalls it. */
export type FaultAction =
  /** Nothing is carried out: the connection is reset, closed without an answer, or kept open without one. */
  | "reset"
  | "empty"
  | "hang"
  /** The request is carried out, then the connection is reset. */
  | "processThenDrop"
  /** The answer breaks off, drips, calls itself HTML, or holds values that no contract knows. */
  | "truncate"
  | "slowBody"
  | "wrongContentType"
  | "unknownEnum"
  /**
   * An error code of the table. `errors` are its field errors, for a code that carries them, each with a field code of §7.3;
   * `meta` is answered as given. Both have a default that fits the code.
   */
  | {
      readonly code: ErrorCode;
      readonly errors?: readonly FaultFieldError[];
      readonly meta?: ErrorResponseMeta;
    }
  /** A full rate limit. */
  | { readonly rateLimit: { readonly retryAfterSecs: number } }
  /** Any status with any body (text, or JSON). */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** A wait of so many milliseconds of the backend's clock, after which the request goes on. */
  | { readonly latency: number };

/** A field error that a fault answers. */
export interface FaultFieldError {
  /** The failing field, e.g. `members[0].ringTimeoutSecs`. */
  readonly field: string;
  readonly code: FieldErrorCode;
  /** A general text by default. */
  readonly message?: string;
}

/** A failure that waits for its requests. */
export interface Fault {
  /** Which requests it meets; absent parts match everything. `path` is a path or a path template. */
  readonly match?: { readonly operationId?: string; readonly method?: string; readonly path?: string };
  readonly when?: {
    /** The first matching request that it meets; 1 by default. */
    readonly nth?: number;
    /** How many requests it meets before it is used up; null for all; 1 by default. */
    readonly times?: number | null;
    /** How likely it meets each of them, above 0 and up to 1; 1 by default. */
    readonly probability?: number;
  };
  readonly do: FaultAction;
}

/** The faults that wait for their requests, in the order of adding. */
export interface Faults {
  /** Adds a fault and answers its id. Throws InputError that names the bad field. */
  add(fault: Fault): string;
  /** What waits, with `nth` and `times` as they stand by now. */
  list(): readonly (Fault & { readonly id: string })[];
  /** False when there is none of this id. */
  remove(id: string): boolean;
  clear(): void;
}

/** The faults that a request meets: all latencies, and the first other one. */
export interface Met {
  readonly latency: number;
  readonly action: Exclude<FaultAction, { latency: number }> | undefined;
  readonly id: string | undefined;
}

interface Waiting {
  readonly id: string;
  readonly fault: Fault;
  nth: number;
  times: number | null;
}

/** What a snapshot keeps of the faults. */
export interface KeptFaults {
  readonly last: number;
  readonly waiting: readonly { readonly id: string; readonly [part: string]: unknown }[];
}

const none: Met = { latency: 0, action: undefined, id: undefined };

/** Creates a list of faults that befall the operations of a contract. */
export function createFaults(
  random: Pick<Random, "next">,
  contract: Pick<Contract, "knows" | "operations"> = callTransferContract,
): Faults & {
  take(operation: OperationDescription, path: string): Met;
  keep(): KeptFaults;
  restore(kept: KeptFaults): void;
} {
  let waiting: Waiting[] = [];
  let last = 0;
  const checked = (fault: unknown): Fault => {
    assertFault(fault);
    const { operationId, method } = fault.match ?? {};
    if (operationId !== undefined && !contract.knows(operationId))
      throw new InputError("match.operationId", `no operation is named ${operationId}`);
    const methods = new Set(contract.operations.map((operation) => operation.method));
    if (method !== undefined && !methods.has(method.toUpperCase()))
      throw new InputError("match.method", `no operation has this method; there are ${[...methods].join(", ")}`);
    return structuredClone(fault);
  };
  const enter = (id: string, fault: Fault): void => {
    const { nth = 1, times = 1 } = fault.when ?? {};
    waiting.push({ id, fault, nth, times });
  };
  const meets = (entry: Waiting, operation: OperationDescription, path: string): boolean => {
    if (!matches(entry.fault.match, operation, path)) return false;
    if (entry.nth > 1) {
      entry.nth -= 1;
      return false;
    }
    const { probability = 1 } = entry.fault.when ?? {};
    if (probability < 1 && random.next() / 2 ** 32 >= probability) return false;
    if (entry.times !== null) entry.times -= 1;
    return true;
  };
  const list = () =>
    waiting.map(({ id, fault, nth, times }) => ({
      ...structuredClone(fault),
      id,
      when: { ...fault.when, nth, times },
    }));
  return {
    add(fault) {
      const own = checked(fault);
      last += 1;
      enter(`fault-${last}`, own);
      return `fault-${last}`;
    },
    list,
    remove(id) {
      const before = waiting.length;
      waiting = waiting.filter((entry) => entry.id !== id);
      return waiting.length < before;
    },
    clear() {
      waiting = [];
    },
    take(operation, path) {
      if (waiting.length === 0) return none;
      let met = none;
      for (const entry of waiting) {
        const { do: action } = entry.fault;
        const isLatency = typeof action === "object" && "latency" in action;
        if (!isLatency && met.action !== undefined) continue;
        if (!meets(entry, operation, path)) continue;
        met = isLatency
          ? { ...met, latency: met.latency + action.latency, id: met.id ?? entry.id }
          : { ...met, action, id: entry.id };
      }
      waiting = waiting.filter(({ times }) => times !== 0);
      return met;
    },
    keep: () => ({ last, waiting: list() }),
    restore(kept) {
      const entries = kept.waiting.map(({ id, ...fault }, index) => ({
        id,
        fault: under(`faults.waiting[${index}]`, () => checked(fault)),
      }));
      waiting = [];
      last = kept.last;
      for (const { id, fault } of entries) enter(id, fault);
    },
  };
}

/** The problem that a fault's code stands for, with the parts that clients read from it. */
export function faultProblem(action: Extract<FaultAction, { code: ErrorCode }>, now: number): Problem {
  const { code, meta = defaultMeta(code, now) } = action;
  const {
    errors = errorCodes[code].hasFieldErrors ? [{ field: "body", code: "invalid_format" as const }] : undefined,
  } = action;
  return problem(code, {
    ...(meta && { meta }),
    ...(errors && { errors: errors.map((error) => ({ message: "is refused by a fault", ...omitUndefined(error) })) }),
  });
}

function defaultMeta(code: ErrorCode, now: number): ErrorResponseMeta | undefined {
  if (code === "rate_limit_exceeded" || code === "queue_full") return { retryAfterSecs: 1 };
  if (code === "assistant_quota_exceeded") return { resetsAt: new Date(now + 3_600_000).toISOString() };
  return undefined;
}

function matches(match: Fault["match"], operation: OperationDescription, path: string): boolean {
  return (
    (match?.operationId ?? operation.id) === operation.id &&
    (match?.method ?? operation.method).toUpperCase() === operation.method &&
    [undefined, path, operation.path].includes(match?.path)
  );
}
