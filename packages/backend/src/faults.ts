import { type ErrorCode, errorCodes, type OperationDescription, operations } from "@call-transfer/spec";
import { z } from "zod";
import { checkInput, InputError } from "./input-error.ts";
import { type Problem, problem } from "./problem.ts";

/** An answer that stands in for the rule's. */
export interface Fault {
  /** Which requests it meets; absent parts match everything. `path` is a path or a path template. */
  readonly match?: { readonly operationId?: string; readonly method?: string; readonly path?: string };
  /** How many requests it meets before it is used up; 1 by default. */
  readonly times?: number;
  /** How many matching requests it lets pass first; 0 by default. */
  readonly after?: number;
  /** An error code of the table, or any status with any body (text, or JSON). */
  readonly do:
    | { readonly code: ErrorCode }
    | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };
}

/** The faults that wait for their requests, in the order of adding. */
export interface Faults {
  /** Adds a fault and answers its id. Throws InputError that names the bad field. */
  add(fault: Fault): string;
  list(): readonly (Fault & { readonly id: string })[];
  clear(): void;
}

/** Creates a list of faults; `isKnown` tells the operations that `match.operationId` may name. */
export function createFaults(
  isKnown = (operationId: string): boolean => Object.hasOwn(operations, operationId),
): Faults & {
  take(operation: OperationDescription, path: string): Fault["do"] | undefined;
} {
  let waiting: { id: string; fault: Fault; after: number; times: number }[] = [];
  let last = 0;
  return {
    add(fault) {
      assertFault(fault);
      const { operationId } = fault.match ?? {};
      if (operationId !== undefined && !isKnown(operationId))
        throw new InputError("fault.match.operationId", `no operation is named ${operationId}`);
      last += 1;
      const id = `fault-${last}`;
      waiting.push({ id, fault: structuredClone(fault), after: fault.after ?? 0, times: fault.times ?? 1 });
      return id;
    },
    list: () => waiting.map(({ id, fault, after, times }) => ({ ...structuredClone(fault), id, after, times })),
    clear() {
      waiting = [];
    },
    take(operation, path) {
      for (const entry of waiting) {
        if (!meets(entry.fault.match, operation, path)) continue;
        if (entry.after > 0) {
          entry.after -= 1;
          continue;
        }
        entry.times -= 1;
        if (entry.times === 0) waiting = waiting.filter((other) => other !== entry);
        return entry.fault.do;
      }
      return undefined;
    },
  };
}

/** The problem that a fault's code stands for, with the parts that clients read from it. */
export function faultProblem(code: ErrorCode, now: number): Problem {
  const meta =
    code === "rate_limit_exceeded" || code === "queue_full"
      ? { retryAfterSecs: 1 }
      : code === "assistant_quota_exceeded"
        ? { resetsAt: new Date(now + 3_600_000).toISOString() }
        : undefined;
  const errors = errorCodes[code].hasFieldErrors
    ? [{ field: "body", code: "invalid_format" as const, message: "is refused by a fault" }]
    : undefined;
  return problem(code, { ...(meta && { meta }), ...(errors && { errors }) });
}

function meets(match: Fault["match"], operation: OperationDescription, path: string): boolean {
  return (
    (match?.operationId ?? operation.id) === operation.id &&
    (match?.method ?? operation.method).toUpperCase() === operation.method &&
    [undefined, path, operation.path].includes(match?.path)
  );
}

const faultSchema = z.strictObject({
  match: z
    .strictObject({ operationId: z.string().optional(), method: z.string().optional(), path: z.string().optional() })
    .optional(),
  times: z.int().min(1).optional(),
  after: z.int().min(0).optional(),
  do: z.union([
    z.strictObject({ code: z.string().refine((code) => Object.hasOwn(errorCodes, code), "is no code of the table") }),
    z.strictObject({
      status: z.int().min(200).max(599),
      body: z.unknown().optional(),
      headers: z.record(z.string(), z.string()).refine(areHeaders, "must be header names with their values").optional(),
    }),
  ]),
});

/** Throws InputError that names the bad field when `fault` is none. */
export function assertFault(fault: unknown): asserts fault is Fault {
  checkInput(faultSchema, fault, "fault");
}

function areHeaders(headers: Record<string, string>): boolean {
  try {
    return new Headers(headers) !== undefined;
  } catch {
    return false;
  }
}
