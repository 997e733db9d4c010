import type { ErrorCode, OperationDescription } from "@call-transfer/spec";
import { redacted, redactedHeaders } from "./redact.ts";
import type { AskedHeaders } from "./transport.ts";

/** One request and its answer, in short: no header, no query and no body, so no secret. */
export interface JournalEntry {
  /** Counts up from 1. */
  readonly id: number;
  /** When the request came, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  /** The answer's status; 0 where a fault let none through. */
  readonly status: number;
  /** The error code of the answer; absent for a success and for a raw answer of a fault. */
  readonly code?: ErrorCode;
  /** The fault that met the request. */
  readonly fault?: string;
  /** What a rule threw where the answer is a 500; never part of the answer. */
  readonly error?: string;
  readonly requestId: string;
}

/** The same with what was sent and answered, as far as it is kept; secrets are replaced. */
export interface JournalDetail extends JournalEntry {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What was sent, where it was JSON of at most 16 KiB. */
  readonly body?: unknown;
  /** What was answered, where it was JSON of at most 16 KiB. */
  readonly answer?: unknown;
}

/** Which entries are meant; absent parts match everything. */
export interface JournalFilter {
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  /** Only entries later than the one of this id. */
  readonly after?: number | undefined;
}

/** How often an operation was answered with a status. */
export interface StatusCount {
  readonly status: number;
  /** Whether the contract lists the status for the operation. */
  readonly documented: boolean;
  readonly count: number;
}

/** The latest 1000 requests, oldest first. */
export interface Journal {
  list(filter?: JournalFilter): readonly JournalEntry[];
  /** With what was sent and answered, for the latest 200. */
  get(id: number): JournalDetail | undefined;
  /** Resolves when so many entries match, or with what there is after `timeoutMs` of real time. */
  wait(filter: JournalFilter, count: number, timeoutMs: number): Promise<readonly JournalEntry[]>;
  /** Every operation with its documented statuses and those seen, since the journal was cleared. */
  coverage(): readonly { readonly operationId: string; readonly statuses: readonly StatusCount[] }[];
  clear(): void;
}

/** What the journal keeps of a request until somebody asks for it. */
export interface Exchanged {
  readonly url: URL;
  readonly headers: AskedHeaders;
  readonly body?: unknown;
  /** The answer's body as it was sent. */
  readonly answer?: string | undefined;
}

const maxEntries = 1000;
const mostDetailed = 200;

/** Creates a journal of requests to these operations. */
export function createJournal(
  operations: readonly OperationDescription[],
): Journal & { add(entry: Omit<JournalEntry, "id">, exchanged: Exchanged): JournalEntry } {
  // Rings, since whatever is held for long costs every request its share of garbage collection.
  let entries: JournalEntry[] = [];
  let exchanges: Exchanged[] = [];
  let last = 0;
  const counts = new Map<string, Map<number, number>>();
  const waiting = new Set<() => void>();
  const count = (operationId: string, status: number): void => {
    const ofOperation = counts.get(operationId) ?? new Map<number, number>();
    ofOperation.set(status, (ofOperation.get(status) ?? 0) + 1);
    counts.set(operationId, ofOperation);
  };
  const list = (filter: JournalFilter = {}): JournalEntry[] => {
    const oldest = last % maxEntries;
    return [...entries.slice(oldest), ...entries.slice(0, oldest)].filter((entry) => matches(filter, entry));
  };
  return {
    list,
    get(id) {
      const entry = entries[(id - 1) % maxEntries];
      if (entry?.id !== id) return undefined;
      const exchanged = id > last - mostDetailed ? exchanges[id % mostDetailed] : undefined;
      return { ...entry, ...(exchanged && detailOf(exchanged)) };
    },
    wait(filter, count, timeoutMs) {
      return new Promise((resolve) => {
        const look = (isOver: boolean): void => {
          const found = list(filter);
          if (found.length < count && !isOver) return;
          clearTimeout(timer);
          waiting.delete(again);
          resolve(found);
        };
        const again = (): void => look(false);
        const timer = setTimeout(() => look(true), timeoutMs);
        waiting.add(again);
        again();
      });
    },
    coverage: () =>
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
    add(about, exchanged) {
      last += 1;
      const entry = { id: last, ...about };
      entries[(last - 1) % maxEntries] = entry;
      exchanges[last % mostDetailed] = exchanged;
      if (entry.operationId !== undefined && entry.status > 0) count(entry.operationId, entry.status);
      if (waiting.size > 0) for (const look of [...waiting]) look();
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

function matches(filter: JournalFilter, entry: JournalEntry): boolean {
  return (
    entry.id > (filter.after ?? 0) &&
    (filter.operationId ?? entry.operationId) === entry.operationId &&
    (filter.method ?? entry.method).toUpperCase() === entry.method &&
    (filter.path ?? entry.path) === entry.path &&
    (filter.status ?? entry.status) === entry.status
  );
}

function detailOf({ url, headers, body, answer }: Exchanged): Omit<JournalDetail, keyof JournalEntry> {
  return {
    query: Object.fromEntries(
      Object.entries(redacted(Object.fromEntries(url.searchParams))).map(([name, value]) => [name, String(value)]),
    ),
    headers: redactedHeaders(headers),
    ...(body !== undefined && { body: redacted({ body }).body }),
    ...(answer !== undefined && answer !== "" && { answer: redacted({ answer: JSON.parse(answer) }).answer }),
  };
}
