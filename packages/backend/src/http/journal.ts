import type { ErrorCode, OperationDescription } from "@call-transfer/spec";
import { redacted, redactedHeaders } from "./redact.ts";
import type { RequestHeaders } from "./transport.ts";

/** A request and its response in short: no headers, query or body, so no secrets. */
export interface JournalEntry {
  /** Counts up from 1. */
  readonly id: number;
  /** When the request arrived, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Absent if no operation matched. */
  readonly operationId?: string;
  /** The response status; 0 if a fault withheld the response. */
  readonly status: number;
  /** The error code of the response; absent for successes and for faults with a status of their own. */
  readonly code?: ErrorCode;
  /** The id of the fault that matched the request. */
  readonly fault?: string;
  /** The exception behind a 500; never part of the response. */
  readonly error?: string;
  readonly requestId: string;
}

/** A journal entry with query, headers and bodies, as far as they are kept; secrets are redacted. */
export interface JournalDetail extends JournalEntry {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Present if it was JSON of at most 16 KiB. */
  readonly requestBody?: unknown;
  /** Present if it was JSON of at most 16 KiB. */
  readonly responseBody?: unknown;
}

/** Selects journal entries; absent criteria match every entry. */
export interface JournalFilter {
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  /** Only entries with a higher id. */
  readonly after?: number | undefined;
}

/** How many responses of an operation had a status. */
export interface StatusCount {
  readonly status: number;
  /** Whether the specification lists this status for the operation. */
  readonly documented: boolean;
  readonly count: number;
}

/** The latest 1000 requests, oldest first. */
export interface Journal {
  list(filter?: JournalFilter): readonly JournalEntry[];
  /** Returns an entry; the latest 200 include query, headers and bodies. */
  get(id: number): JournalDetail | undefined;
  /** Resolves once `count` entries match, or after `timeoutMs` of real time with the entries that match by then. */
  wait(filter: JournalFilter, count: number, timeoutMs: number): Promise<readonly JournalEntry[]>;
  /** Returns every operation with its documented and its seen statuses, counted since the last clear. */
  coverage(): readonly { readonly operationId: string; readonly statuses: readonly StatusCount[] }[];
  clear(): void;
}

/** The unredacted parts of a request and its response; redacted on demand. */
export interface RecordedExchange {
  readonly url: URL;
  readonly headers: RequestHeaders;
  readonly requestBody?: unknown;
  /** The response body as it was sent. */
  readonly responseText?: string | undefined;
}

const maxEntries = 1000;
const maxDetailed = 200;

/** Creates a journal of requests to these operations. */
export function createJournal(
  operations: readonly OperationDescription[],
): Journal & { add(entry: Omit<JournalEntry, "id">, exchange: RecordedExchange): JournalEntry } {
  // Ring buffers: objects that are held for long cost every request a share of garbage collection.
  let entries: JournalEntry[] = [];
  let exchanges: RecordedExchange[] = [];
  let last = 0;
  const counts = createCounts(operations);
  const listeners = new Set<() => void>();
  const list = (filter: JournalFilter = {}): JournalEntry[] => {
    const oldest = last % maxEntries;
    return [...entries.slice(oldest), ...entries.slice(0, oldest)].filter((entry) => matches(filter, entry));
  };
  return {
    list,
    get(id) {
      const entry = entries[(id - 1) % maxEntries];
      if (entry?.id !== id) return undefined;
      const exchange = id > last - maxDetailed ? exchanges[id % maxDetailed] : undefined;
      return { ...entry, ...(exchange && detailOf(exchange)) };
    },
    wait(filter, count, timeoutMs) {
      return new Promise((resolve) => {
        const check = (isTimeout: boolean): void => {
          const found = list(filter);
          if (found.length < count && !isTimeout) return;
          clearTimeout(timer);
          listeners.delete(onAdd);
          resolve(found);
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
      const entry = { id: last, ...properties };
      entries[(last - 1) % maxEntries] = entry;
      exchanges[last % maxDetailed] = exchange;
      counts.add(entry);
      if (listeners.size > 0) for (const listener of [...listeners]) listener();
      return entry;
    },
    clear() {
      entries = [];
      exchanges = [];
      last = 0;
      counts.clear();
    },
  };
}

/** Counts the responses by operation and status. */
function createCounts(operations: readonly OperationDescription[]) {
  const counts = new Map<string, Map<number, number>>();
  return {
    add({ operationId, status }: JournalEntry): void {
      if (operationId === undefined || status === 0) return;
      const byStatus = counts.get(operationId) ?? new Map<number, number>();
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      counts.set(operationId, byStatus);
    },
    coverage: (): ReturnType<Journal["coverage"]> =>
      operations.map(({ id, statuses }) => {
        const seen = counts.get(id);
        const all = [...new Set([...statuses, ...(seen?.keys() ?? [])])].sort((a, b) => a - b);
        return {
          operationId: id,
          statuses: all.map((status) => ({
            status,
            documented: statuses.includes(status),
            count: seen?.get(status) ?? 0,
          })),
        };
      }),
    clear: () => counts.clear(),
  };
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

function detailOf(exchange: RecordedExchange): Omit<JournalDetail, keyof JournalEntry> {
  const { url, headers, requestBody, responseText } = exchange;
  const query = redacted(Object.fromEntries(url.searchParams));
  return {
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    headers: redactedHeaders(headers),
    ...(requestBody !== undefined && { requestBody: redacted({ body: requestBody }).body }),
    ...(responseText && { responseBody: redacted({ body: JSON.parse(responseText) }).body }),
  };
}
