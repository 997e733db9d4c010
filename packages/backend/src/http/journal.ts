import type { OperationDescription } from "@call-transfer/spec";
import type { Decision, RequestCaller } from "./decision.ts";
import { redacted, redactedHeaders } from "./redact.ts";
import type { RequestHeaders } from "./transport.ts";

/** A request and its response in short: no headers, query or body, so no secrets. */
export interface JournalEntry {
  /** Counts up from 1, also across `clear` and a reset. */
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
  readonly code?: string;
  /** The id of the fault that matched the request. */
  readonly fault?: string;
  /** The exception behind a 500; never part of the response. */
  readonly error?: string;
  readonly requestId: string;
  /** Milliseconds of real time until the response was ready. */
  readonly durationMs: number;
  /** What decided the response. */
  readonly decidedBy: Decision;
  /** The authenticated caller; absent if the credential was refused or not checked. */
  readonly caller?: RequestCaller;
  /** Where a forwarded request or its response deviates from the contract. */
  readonly deviations?: readonly Deviation[];
}

/** One place where a forwarded request or its response deviates from the contract. */
export interface Deviation {
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

/** A journal entry with query, headers and bodies, as far as they are kept; secrets are redacted. */
export interface JournalDetail extends JournalEntry {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Present if it was JSON of at most 16 KiB. */
  readonly requestBody?: unknown;
  /** The response headers that the backend set. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
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
  readonly responseHeaders?: RequestHeaders | Readonly<Record<string, string>> | undefined;
  /** The response body as it was sent. */
  readonly responseText?: string | undefined;
}

/** A journal that takes new entries. */
export interface WritableJournal extends Journal {
  add(entry: Omit<JournalEntry, "id">, exchange: RecordedExchange): JournalEntry;
}

const maxEntries = 1000;
const maxDetailed = 200;

/** Creates a journal of requests to these operations. */
export function createJournal(operations: readonly OperationDescription[]): WritableJournal {
  // Ring buffers: objects that are held for long cost every request a share of garbage collection.
  let entries: JournalEntry[] = [];
  let exchanges: RecordedExchange[] = [];
  let last = 0;
  /** The last id before the latest clear: positions in the rings count from there. */
  let cleared = 0;
  const counts = createCounts(operations);
  const listeners = new Set<() => void>();
  const list = (filter: JournalFilter = {}): JournalEntry[] => {
    const oldest = (last - cleared) % maxEntries;
    return [...entries.slice(oldest), ...entries.slice(0, oldest)].filter((entry) => matches(filter, entry));
  };
  return {
    list,
    get(id) {
      const entry = entries[(id - cleared - 1) % maxEntries];
      if (entry?.id !== id) return undefined;
      const exchange = id > last - maxDetailed ? exchanges[(id - cleared - 1) % maxDetailed] : undefined;
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
      entries[(last - cleared - 1) % maxEntries] = entry;
      exchanges[(last - cleared - 1) % maxDetailed] = exchange;
      counts.add(entry);
      if (listeners.size > 0) for (const listener of [...listeners]) listener();
      return entry;
    },
    clear() {
      entries = [];
      exchanges = [];
      cleared = last;
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
  const { url, headers, requestBody, responseHeaders = {}, responseText } = exchange;
  const query = redacted(Object.fromEntries(url.searchParams));
  return {
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    headers: redactedHeaders(headers),
    ...(requestBody !== undefined && { requestBody: redacted({ body: requestBody }).body }),
    responseHeaders: redactedHeaders(isIterable(responseHeaders) ? responseHeaders : Object.entries(responseHeaders)),
    ...(responseText && { responseBody: redacted({ body: parsed(responseText) }).body }),
  };
}

function isIterable(headers: object): headers is Iterable<[string, string]> {
  return Symbol.iterator in headers;
}

/** The value of a JSON text, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
