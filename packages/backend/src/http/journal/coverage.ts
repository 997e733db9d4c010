import type { OperationDescription } from "@call-transfer/spec";
import type { JournalEntry } from "../../generated/models.gen.ts";

/** How many responses of an operation had a status. */
export interface StatusCount {
  /** The response status. */
  readonly status: number;
  /** Whether the specification lists this status for the operation. */
  readonly documented: boolean;
  /** How many responses had it since the latest clear. */
  readonly count: number;
}

/** How many responses of an operation had an error code. */
export interface CodeCount {
  /** The error code. */
  readonly code: string;
  /** Whether the API documents this code for the operation. */
  readonly documented: boolean;
  /** How many responses had it since the latest clear. */
  readonly count: number;
}

/** The statuses and error codes that an operation documents or returned. */
export interface OperationCoverage {
  /** The operation, e.g. `createCall`. */
  readonly operationId: string;
  /** The documented and the returned statuses. */
  readonly statuses: readonly StatusCount[];
  /** The documented and the returned error codes. */
  readonly codes: readonly CodeCount[];
}

/** By operation: how many responses had each status and each code. */
export type KeptCounts = readonly (readonly [
  operationId: string,
  statuses: readonly (readonly [status: number, count: number])[],
  codes: readonly (readonly [code: string, count: number])[],
])[];

/** Counts the responses by operation, and by status and code. */
export function createCounts(operations: readonly OperationDescription[]) {
  const counts = new Map<string, { statuses: Map<number, number>; codes: Map<string, number> }>();
  return {
    add({ operationId, status, code }: JournalEntry): void {
      if (operationId === undefined || status === 0) return;
      let seen = counts.get(operationId);
      if (seen === undefined) {
        seen = { statuses: new Map(), codes: new Map() };
        counts.set(operationId, seen);
      }
      seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
      if (code !== undefined) seen.codes.set(code, (seen.codes.get(code) ?? 0) + 1);
    },
    coverage: (): readonly OperationCoverage[] =>
      operations.map(({ id, statuses, errorCodes }) => {
        const seen = counts.get(id);
        return {
          operationId: id,
          statuses: countsOf(statuses, seen?.statuses)
            .map(({ value, ...rest }) => ({ status: value, ...rest }))
            .sort((a, b) => a.status - b.status),
          codes: countsOf<string>(errorCodes, seen?.codes).map(({ value, ...rest }) => ({ code: value, ...rest })),
        };
      }),
    clear: () => counts.clear(),
    keep: (): KeptCounts => [...counts].map(([id, { statuses, codes }]) => [id, [...statuses], [...codes]]),
    resume(kept: KeptCounts): void {
      for (const [id, statuses, codes] of kept) counts.set(id, { statuses: new Map(statuses), codes: new Map(codes) });
    },
  };
}

/** The documented values, then the other values seen, with their counts. */
function countsOf<Value>(documented: readonly Value[], seen: ReadonlyMap<Value, number> = new Map()) {
  return [...new Set([...documented, ...seen.keys()])].map((value) => ({
    value,
    documented: documented.includes(value),
    count: seen.get(value) ?? 0,
  }));
}
