import type { Policies } from "./policies.ts";
import type { NotedRecord } from "./storage/changed-rows.ts";
import type { SetTimer } from "./time/timer-queue.ts";

/** What a request found: enough to go back to it. */
export interface Moment {
  /** The number of changes before it. */
  readonly position: number;
  /** The number of changes before the request was counted in its rate-limit window. */
  readonly windowsPosition: number;
  /** Milliseconds since the epoch, by the backend's clock. */
  readonly now: number;
  /** The position of the random generator that makes ids and secrets. */
  readonly random: number;
  readonly policies: Policies;
}

/** Records by key, by the names of their collections. */
export type RecordsByCollection = ReadonlyMap<string, ReadonlyMap<string, object>>;

/** A timer that was set, or one that ran or was cancelled; `rank` is how many due at the same time stood before that one. */
export interface NotedTimer {
  readonly timer: SetTimer;
  readonly rank: number | undefined;
}

/** The collection of the rate-limit windows. */
export const windows = "windows";

/** Puts records and timers back to a moment. `changes` are those after it, the latest first. */
export function undoneChanges(
  changes: Iterable<readonly [number: number, NotedRecord | NotedTimer]>,
  { position }: Pick<Moment, "position">,
  present: RecordsByCollection,
  presentTimers: readonly SetTimer[],
): { readonly records: RecordsByCollection; readonly timers: readonly SetTimer[] } {
  const records = new Map([...present].map(([name, map]) => [name, new Map(map)]));
  const timers = [...presentTimers];
  for (const [number, change] of changes)
    if ("timer" in change) {
      if (number >= position) undoTimer(timers, change);
    } else if (number >= position || change.collection === windows)
      records.set(change.collection, undone(records.get(change.collection) ?? new Map(), change));
  return { records, timers };
}

/** The records of a collection without its latest change, in the order of then. */
function undone(records: Map<string, object>, { key, before, next }: NotedRecord): Map<string, object> {
  if (before === undefined) records.delete(key);
  else if (next === undefined) records.set(key, before);
  else return new Map([...records].flatMap((entry) => (entry[0] === next ? [[key, before] as const, entry] : [entry])));
  return records;
}

/** Puts a list of timers back to before its latest change. */
function undoTimer(timers: SetTimer[], { timer, rank }: NotedTimer): void {
  const { at, kind, id, index } = timer;
  if (rank !== undefined) {
    const first = timers.findIndex((one) => one.at >= at);
    timers.splice(first < 0 ? timers.length : first + rank, 0, timer);
    return;
  }
  const found = timers.findLastIndex(
    (one) => one.at === at && one.kind === kind && one.id === id && one.index === index,
  );
  if (found >= 0) timers.splice(found, 1);
}
