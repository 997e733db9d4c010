import type { OperationDescription } from "@call-transfer/spec";
import type { ClosestOperation, RequestEntry } from "../generated/models.gen.ts";
import type { components } from "../generated/types.gen.ts";
import type { Effects } from "../model/change-log.ts";
import { type Events, Ring } from "../model/events.ts";
import type { BackendState } from "../model/state.ts";
import type { StateWriter } from "../model/state-writer.ts";
import { factTable, type RowChange, type StoredState } from "../model/store.ts";
import { forLog } from "../utils/redact.ts";
import { limited } from "../utils/values.ts";
import { closestOperations } from "./closest-operations.ts";
import { detailOf, type Exchange, type RecordedExchange, type RequestDetail } from "./request-detail.ts";

/** The statuses and error codes that an operation documents or returned. */
export type OperationCoverage = components["schemas"]["Coverage"]["operations"][number];

/** By operation: how many responses had each status and each code. */
type KeptCounts = readonly (readonly [
  operationId: string,
  statuses: readonly (readonly [status: number, count: number])[],
  codes: readonly (readonly [code: string, count: number])[],
])[];

/** Counts the responses by operation, and by status and code. */
function createCounts(operations: readonly OperationDescription[]) {
  const counts = new Map<string, { statuses: Map<number, number>; codes: Map<string, number> }>();
  return {
    add({ operationId, status, code }: RequestEntry): void {
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

/** Selects requests entries; absent criteria match every entry. */
export interface RequestFilter {
  /** Only requests of this operation. */
  readonly operationId?: string | undefined;
  /** Only requests with this HTTP method, in any case. */
  readonly method?: string | undefined;
  /** Only requests to this path: the path as requested, not a template. */
  readonly path?: string | undefined;
  /** Only requests with this response status. */
  readonly status?: number | undefined;
  /** Only requests that match no operation; if false, only others. */
  readonly unmatched?: boolean | undefined;
  /** Only entries with a higher id. */
  readonly after?: number | undefined;
}

/** The latest 1000 requests, oldest first. */
export interface RequestLog {
  /** The number of requests since the latest clear. */
  readonly count: number;
  /**
   * The latest request.
   *
   * @internal
   */
  readonly latest: RequestEntry | undefined;
  /** Lists entries: with `limit` the oldest after `after`, otherwise the latest. */
  list(filter?: RequestFilter & { readonly limit?: number | undefined }): readonly RequestEntry[];
  /** Returns an entry; the latest 200 include query, headers and bodies, without secrets unless `redact` is false. */
  get(id: number, options?: { readonly redact?: boolean | undefined }): RequestDetail | undefined;
  /**
   * Returns every operation with its documented and its seen statuses and codes, counted since the last clear.
   *
   * @internal
   */
  coverage(): readonly OperationCoverage[];
  /** Removes every entry and every count. Ids go on counting. */
  clear(): void;
}

/** A request log that takes new entries. */
export interface WritableRequestLog extends RequestLog {
  add(entry: Omit<RequestEntry, "id">, exchange: RecordedExchange): RequestEntry;
  /** An entry as the request log shows it, with what takes time to find. */
  shown(entry: RequestEntry): RequestEntry;
  /** What a store keeps of the request log. */
  keep(): KeptRequestLog;
  /** Puts stored entries and counts in place of the present ones. */
  resume(kept: KeptRequestLog, entries: readonly RequestEntry[]): void;
  /** The entries after an id, oldest first. */
  entriesAfter(id: number): readonly RequestEntry[];
  /** The request of an entry as it came, if it is kept. */
  exchangeOf(id: number): RecordedExchange | undefined;
}

/** The position of a request log, and what it has counted. */
interface KeptRequestLog {
  /** The last id, and the last one before the latest clear. */
  readonly last: number;
  readonly cleared: number;
  readonly counts: KeptCounts;
}

/** The number of entries that a request log holds. */
const maxEntries = 1000;
const maxDetailed = 200;

/** Creates a request log of requests to these operations. `onClear` runs after each clear. */
export function createRequestLog(
  operations: readonly OperationDescription[],
  onClear: () => void = () => {},
): WritableRequestLog {
  const entries = new Ring<RequestEntry>(maxEntries);
  const exchanges = new Ring<RecordedExchange>(maxDetailed);
  const select = (filter: RequestFilter): RequestEntry[] => entries.after().filter((entry) => matches(filter, entry));
  const counts = createCounts(operations);
  const closest = new WeakMap<RequestEntry, readonly ClosestOperation[]>();
  const shown = (entry: RequestEntry): RequestEntry => {
    if (!isUnmatched(entry)) return entry;
    const found = closest.get(entry) ?? closestOperations(operations, entry);
    closest.set(entry, found);
    return { ...entry, closestOperations: found };
  };
  return {
    get count() {
      return entries.last - entries.cleared;
    },
    get latest() {
      return entries.at(entries.last);
    },
    list: ({ limit, ...filter } = {}) => limited(select(filter), { after: filter.after, limit }).map(shown),
    get(id, { redact = true } = {}) {
      const entry = entries.at(id);
      if (entry === undefined) return undefined;
      const exchange = exchanges.at(id);
      return { ...shown(entry), ...(exchange && detailOf(exchange, redact)) };
    },
    exchangeOf: (id) => exchanges.at(id),
    entriesAfter: (after) => entries.after(after),
    keep: () => ({ last: entries.last, cleared: entries.cleared, counts: counts.keep() }),
    resume(kept, stored) {
      entries.resume(
        kept.last,
        kept.cleared,
        stored.map((entry) => [entry.id, entry]),
      );
      exchanges.resume(kept.last, kept.last);
      counts.resume(kept.counts);
    },
    coverage: counts.coverage,
    add(properties, exchange) {
      const id = entries.last + 1;
      const { effects } = exchange;
      const entry = effects === undefined ? { id, ...properties } : { id, ...properties, ...countsIn(effects) };
      entries.add(entry);
      exchanges.add(exchange);
      counts.add(entry);
      return entry;
    },
    shown,
    clear() {
      const { last } = entries;
      for (const ring of [entries, exchanges]) ring.resume(last, last);
      counts.clear();
      onClear();
    },
  };
}

function countsIn({ changes, timers }: Effects): Pick<RequestEntry, "changeCount" | "timerCount"> {
  return {
    ...(changes.length > 0 && { changeCount: changes.length }),
    ...(timers.length > 0 && { timerCount: timers.length }),
  };
}

/** Whether nothing matches a request. One that was refused was not compared, and one that was passed on got its answer. */
function isUnmatched({ operationId, stub, decidedBy }: RequestEntry): boolean {
  return operationId === undefined && stub === undefined && !["server", "fallback"].includes(decidedBy.step);
}

function matches(filter: RequestFilter, entry: RequestEntry): boolean {
  return (
    entry.id > (filter.after ?? 0) &&
    (filter.operationId ?? entry.operationId) === entry.operationId &&
    (filter.method ?? entry.method).toUpperCase() === entry.method &&
    (filter.path ?? entry.path) === entry.path &&
    (filter.status ?? entry.status) === entry.status &&
    (filter.unmatched === undefined || filter.unmatched === isUnmatched(entry))
  );
}

/** The table of the entries. A row holds those of one flush; its key is the last id. */
const table = "requests";

/** Stores a request log at each flush, without the details of its requests. `stored` is what the store held. */
export function keepRequestLog(
  requests: WritableRequestLog,
  writer: StateWriter,
  stored: StoredState | undefined,
): void {
  const rows = stored?.rows<readonly RequestEntry[]>(table) ?? [];
  const position = stored?.fact<KeptRequestLog>(table);
  if (position !== undefined)
    requests.resume(
      position,
      rows.flatMap(([, entries]) => entries.filter(({ id }) => isKept(id, position))),
    );
  /** The keys of the stored rows. */
  let keys = rows.map(([key]) => Number(key));
  let last = position?.last ?? 0;
  let cleared = position?.cleared ?? 0;
  writer.addSource(() => {
    const now = requests.keep();
    if (now.last === last && now.cleared === cleared) return { rows: [], done() {} };
    const entries = requests.entriesAfter(last);
    const dropped = keys.filter((key) => !isKept(key, now));
    const changes: RowChange[] = dropped.map((key) => ({ table, key: String(key), text: undefined }));
    if (entries.length > 0) changes.push({ table, key: String(now.last), text: JSON.stringify(entries) });
    changes.push({ table: factTable, key: table, text: JSON.stringify(now) });
    return {
      rows: changes,
      done() {
        keys = keys.filter((key) => isKept(key, now));
        if (entries.length > 0) keys.push(now.last);
        [last, cleared] = [now.last, now.cleared];
      },
    };
  });
}

/** Whether a request log still holds an entry. */
function isKept(id: number, { last, cleared }: KeptRequestLog): boolean {
  return id > Math.max(cleared, last - maxEntries);
}

/** A request that something in front of the backend answered, such as a server that refused it. */
export interface RecordedRequest extends Exchange {
  /** The HTTP method. */
  readonly method: string;
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  /** The error code of the response. */
  readonly code?: string;
  /** The id that the response names; a new one by default. */
  readonly requestId?: string;
  /** Milliseconds of real time until the response was ready. */
  readonly durationMs: number;
  /** What decided the response, and why. */
  readonly decidedBy: RequestEntry["decidedBy"];
}

/** Records a request, and returns its request log entry. */
export type Recorder = (entry: Omit<RequestEntry, "id">, exchange: RecordedExchange) => RequestEntry;

/** Creates a function that records a request in the request log and announces it to the followers of the events. */
export function createRecorder(requests: WritableRequestLog, events: Events, writer?: StateWriter): Recorder {
  return (entry, exchange) => {
    const added = requests.add(entry, exchange);
    writer?.plan("soon");
    events.emit("request.completed", () => ({ ...requests.shown(added), id: String(added.id) }));
    return added;
  };
}

/** The request log entry of a request that something in front of the backend answered. */
export function entryOf(request: RecordedRequest, { clock }: Pick<BackendState, "clock">): Omit<RequestEntry, "id"> {
  const { method, url, status, code, requestId, durationMs, decidedBy } = request;
  const { detail } = decidedBy;
  return {
    at: clock.iso(),
    method,
    path: forLog(url.pathname),
    status,
    ...(code !== undefined && { code }),
    requestId: requestId ?? crypto.randomUUID(),
    durationMs,
    decidedBy: { ...decidedBy, ...(detail !== undefined && { detail: forLog(detail) }) },
  };
}
