import type { OperationDescription } from "@call-transfer/spec";
import type { Effects } from "../../model/changes/effects.ts";
import { limited } from "../../model/values/retention.ts";
import { type ClosestOperation, closestOperations } from "../checks/closest-operations.ts";
import type { Decision, RequestCaller } from "../checks/decision.ts";
import { detailOf, type JournalDetail, type RecordedExchange } from "./journal-detail.ts";

/** A request and its response in short: no headers, query or body, so no secrets. */
export interface JournalEntry {
  /** Counts up from 1, also across `clear` and a reset. */
  readonly id: number;
  /** When the request arrived, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /** Absent if no operation matched. */
  readonly operationId?: string;
  /** The response status; 0 if a fault withheld the response. */
  readonly status: number;
  /** The error code of the response; absent for successes and for faults with a status of their own. */
  readonly code?: string;
  /** The id of the fault that matched the request. */
  readonly fault?: string;
  /** The exception behind a 500; never part of the response. */
  readonly error?: string;
  /** The value of the response header `X-Request-Id`. */
  readonly requestId: string;
  /** The id of the entry whose request was sent again. */
  readonly replayOf?: number;
  /** Milliseconds of real time until the response was ready. */
  readonly durationMs: number;
  /** What decided the response. */
  readonly decidedBy: Decision;
  /** The authenticated caller; absent if the credential was refused or not checked. */
  readonly caller?: RequestCaller;
  /** For a request that matches no operation: those that it resembles most, closest first. */
  readonly closest?: readonly ClosestOperation[];
  /** How many records the request changed; absent for none. */
  readonly changeCount?: number;
  /** How many timers the request set; absent for none. */
  readonly timerCount?: number;
  /** Where a forwarded request or its response deviates from the contract. */
  readonly deviations?: readonly Deviation[];
}

/** One place where a forwarded request or its response deviates from the contract. */
export interface Deviation {
  /** Whether the request or the response deviates. */
  readonly side: "request" | "response";
  /**
   * The place: `status`, `path`, `query limit`, `header X-Request-Id`, `body`, or a field as a JSON pointer after `body`,
   * such as `body/roles/0/role`.
   */
  readonly where: string;
  /** What is wrong there. */
  readonly message: string;
  /** The section of the specification that says how it should be, such as `§2.6`. */
  readonly section?: string;
}

/** Selects journal entries; absent criteria match every entry. */
export interface JournalFilter {
  /** Only requests of this operation. */
  readonly operationId?: string | undefined;
  /** Only requests with this HTTP method, in any case. */
  readonly method?: string | undefined;
  /** Only requests to this path: the path as requested, not a template. */
  readonly path?: string | undefined;
  /** Only requests with this response status. */
  readonly status?: number | undefined;
  /** Only entries with a higher id. */
  readonly after?: number | undefined;
}

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

/** The latest 1000 requests, oldest first. */
export interface Journal {
  /** The number of requests since the latest clear. */
  readonly count: number;
  /** The latest request. */
  readonly latest: JournalEntry | undefined;
  /** Lists entries: with `limit` the oldest after `after`, otherwise the latest. */
  list(filter?: JournalFilter & { readonly limit?: number | undefined }): readonly JournalEntry[];
  /** Returns an entry; the latest 200 include query, headers and bodies, without secrets unless `reveal` is true. */
  get(id: number, options?: { readonly reveal?: boolean | undefined }): JournalDetail | undefined;
  /** Resolves once `count` entries match, or after `timeoutMs` of real time with the entries that match by then. */
  wait(filter: JournalFilter, count: number, timeoutMs: number): Promise<readonly JournalEntry[]>;
  /** Returns every operation with its documented and its seen statuses and codes, counted since the last clear. */
  coverage(): readonly OperationCoverage[];
  /** Removes every entry and every count. Ids go on counting. */
  clear(): void;
}

/** A journal that takes new entries. */
export interface WritableJournal extends Journal {
  add(entry: Omit<JournalEntry, "id">, exchange: RecordedExchange): JournalEntry;
  /** An entry as the journal shows it, with what takes time to find. */
  shown(entry: JournalEntry): JournalEntry;
  /** What a store keeps of the journal. */
  keep(): KeptJournal;
  /** Puts stored entries and counts in place of the present ones. */
  resume(kept: KeptJournal, entries: readonly JournalEntry[]): void;
  /** The entries after an id, oldest first. */
  entriesAfter(id: number): readonly JournalEntry[];
  /** The request of an entry as it came, if it is kept. */
  exchangeOf(id: number): RecordedExchange | undefined;
}

/** The position of a journal, and what it has counted. */
export interface KeptJournal {
  /** The last id, and the last one before the latest clear. */
  readonly last: number;
  readonly cleared: number;
  readonly counts: KeptCounts;
}

/** The number of entries that a journal holds. */
export const maxEntries = 1000;
const maxDetailed = 200;

/** Creates a journal of requests to these operations. `onClear` runs after each clear. */
export function createJournal(
  operations: readonly OperationDescription[],
  onClear: () => void = () => {},
): WritableJournal {
  // Ring buffers: objects that are held for long cost every request a share of garbage collection.
  let entries: JournalEntry[] = [];
  let exchanges: RecordedExchange[] = [];
  let last = 0;
  /** The last id before the latest clear: positions in the rings count from there. */
  let cleared = 0;
  const counts = createCounts(operations);
  const listeners = new Set<() => void>();
  const closest = new WeakMap<JournalEntry, readonly ClosestOperation[]>();
  const shown = (entry: JournalEntry): JournalEntry => {
    if (!isUnmatched(entry)) return entry;
    const found = closest.get(entry) ?? closestOperations(operations, entry);
    closest.set(entry, found);
    return { ...entry, closest: found };
  };
  const select = (filter: JournalFilter): JournalEntry[] => {
    const oldest = (last - cleared) % maxEntries;
    return [...entries.slice(oldest), ...entries.slice(0, oldest)].filter((entry) => matches(filter, entry));
  };
  const exchangeOf = (id: number): RecordedExchange | undefined =>
    id > last - maxDetailed && id <= last ? exchanges[(id - cleared - 1) % maxDetailed] : undefined;
  return {
    get count() {
      return last - cleared;
    },
    get latest() {
      return entries[(last - cleared - 1) % maxEntries];
    },
    list: ({ limit, ...filter } = {}) => limited(select(filter), { after: filter.after, limit }).map(shown),
    get(id, { reveal = false } = {}) {
      const entry = entries[(id - cleared - 1) % maxEntries];
      if (entry?.id !== id) return undefined;
      const exchange = exchangeOf(id);
      return { ...shown(entry), ...(exchange && detailOf(exchange, reveal)) };
    },
    exchangeOf,
    entriesAfter: (after) => select({ after }),
    keep: () => ({ last, cleared, counts: counts.keep() }),
    resume(kept, stored) {
      ({ last, cleared } = kept);
      entries = [];
      exchanges = [];
      for (const entry of stored) entries[(entry.id - cleared - 1) % maxEntries] = entry;
      counts.resume(kept.counts);
    },
    wait(filter, count, timeoutMs) {
      return new Promise((resolve) => {
        const check = (isTimeout: boolean): void => {
          const found = select(filter);
          if (found.length < count && !isTimeout) return;
          clearTimeout(timer);
          listeners.delete(onAdd);
          resolve(found.map(shown));
        };
        const onAdd = (): void => check(false);
        const timer = setTimeout(() => check(true), timeoutMs);
        listeners.add(onAdd);
        onAdd();
      });
    },
    coverage: counts.coverage,
    add(properties, exchange) {
      last += 1;
      const counted = exchange.effects === undefined ? properties : { ...properties, ...countsIn(exchange.effects) };
      const entry = { id: last, ...counted };
      entries[(last - cleared - 1) % maxEntries] = entry;
      exchanges[(last - cleared - 1) % maxDetailed] = exchange;
      counts.add(entry);
      if (listeners.size > 0) for (const listener of [...listeners]) listener();
      return entry;
    },
    shown,
    clear() {
      entries = [];
      exchanges = [];
      cleared = last;
      counts.clear();
      onClear();
    },
  };
}

/** By operation: how many responses had each status and each code. */
export type KeptCounts = readonly (readonly [
  operationId: string,
  statuses: readonly (readonly [status: number, count: number])[],
  codes: readonly (readonly [code: string, count: number])[],
])[];

/** Counts the responses by operation, and by status and code. */
function createCounts(operations: readonly OperationDescription[]) {
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
      counts.clear();
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

function countsIn({ changes, timers }: Effects): Pick<JournalEntry, "changeCount" | "timerCount"> {
  return {
    ...(changes.length > 0 && { changeCount: changes.length }),
    ...(timers.length > 0 && { timerCount: timers.length }),
  };
}

/** Whether no operation matches a request. A refused request was not compared with the operations. */
export function isUnmatched({ operationId, decidedBy }: JournalEntry): boolean {
  return operationId === undefined && decidedBy.step !== "gate";
}

function matches(filter: JournalFilter, entry: JournalEntry): boolean {
  return (
    entry.id > (filter.after ?? 0) &&
    (filter.operationId ?? entry.operationId) === entry.operationId &&
    (filter.method ?? entry.method).toUpperCase() === entry.method &&
    (filter.path ?? entry.path) === entry.path &&
    (filter.status ?? entry.status) === entry.status
  );
}
