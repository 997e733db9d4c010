import type { Policies } from "./policies.ts";
import type { Timer, TimerPurpose, TimerWatch } from "./time/timer-queue.ts";

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
/** A timer in the form of a snapshot. */
export type ListedTimer = TimerPurpose & { readonly at: number };

/** Where a moment comes from. */
export interface Present {
  readonly clock: { now(): number };
  readonly random: { readonly position: number };
  readonly policies: Policies;
}

/** A change of a record. `before` is what the key held; `next` is the key behind one that was removed. */
interface RecordChange {
  readonly collection: string;
  readonly key: string;
  readonly before: object | undefined;
  readonly next: string | undefined;
}

/** A timer that was set, or one that ran or was cancelled; `rank` is how many due at the same time stood before that one. */
interface TimerChange {
  readonly timer: ListedTimer;
  readonly rank: number | undefined;
}

/** The number of changes that are kept: about 20 for each of the 200 requests whose details are. */
const most = 4000;
/** The collection of the rate-limit windows. */
const windows = "windows";

/**
 * The latest changes of a backend, so that it can be seen as a request found it. Records are replaced, never changed, so that
 * an earlier one costs no copy.
 */
export class Past implements TimerWatch {
  readonly #present: () => Present;
  // A ring buffer: a change stands at its number modulo the size.
  #changes: (RecordChange | TimerChange)[] = [];
  #position = 0;
  /** The number of the first change that is known. */
  #first = 0;
  /** The policies of the latest moment. */
  #policies: Policies | undefined;

  constructor(present: () => Present) {
    this.#present = present;
  }

  /** The present moment. With an earlier moment of the same request, its rate-limit windows are those of then. */
  moment(earlier?: Moment): Moment {
    const { clock, random, policies } = this.#present();
    const position = this.#position;
    const windowsPosition = earlier?.windowsPosition ?? position;
    const kept = this.#policies;
    // Tests may change policies in place.
    const same = kept !== undefined && isSame(policies, kept) ? kept : structuredClone(policies);
    this.#policies = same;
    return { position, windowsPosition, now: clock.now(), random: random.position, policies: same };
  }

  /** Notes that a record was added (no `before`), replaced, or is about to be removed (with the key behind it). */
  change(collection: string, key: string, before: object | undefined, next?: string): void {
    this.#add({ collection, key, before, next });
  }

  added({ at, purpose }: Timer): void {
    if (purpose !== undefined) this.#add({ timer: { at, ...purpose }, rank: undefined });
  }

  removed({ at, purpose }: Timer, rank: number): void {
    if (purpose !== undefined) this.#add({ timer: { at, ...purpose }, rank });
  }

  /** Forgets every change. */
  clear(): void {
    this.#changes = [];
    this.#first = this.#position;
  }

  /** The records and timers of a moment, from the present ones; undefined if too much has changed since. */
  at(
    { position, windowsPosition }: Moment,
    present: RecordsByCollection,
    presentTimers: readonly ListedTimer[],
  ): { readonly records: RecordsByCollection; readonly timers: readonly ListedTimer[] } | undefined {
    if (windowsPosition < Math.max(this.#first, this.#position - most)) return undefined;
    const records = new Map([...present].map(([name, map]) => [name, new Map(map)]));
    const timers = [...presentTimers];
    for (let number = this.#position - 1; number >= windowsPosition; number -= 1) {
      const change = this.#changes[number % most];
      if (change === undefined) return undefined;
      if ("timer" in change) {
        if (number >= position) undoTimer(timers, change);
      } else if (number >= position || change.collection === windows)
        records.set(change.collection, undone(records.get(change.collection) ?? new Map(), change));
    }
    return { records, timers };
  }

  #add(change: RecordChange | TimerChange): void {
    this.#changes[this.#position % most] = change;
    this.#position += 1;
  }
}

/** The records of a collection without its latest change, in the order of then. */
function undone(records: Map<string, object>, { key, before, next }: RecordChange): Map<string, object> {
  if (before === undefined) records.delete(key);
  else if (next === undefined) records.set(key, before);
  else return new Map([...records].flatMap((entry) => (entry[0] === next ? [[key, before] as const, entry] : [entry])));
  return records;
}

/** Puts a list of timers back to before its latest change. */
function undoTimer(timers: ListedTimer[], { timer, rank }: TimerChange): void {
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

/** Whether two policies have the same values. */
function isSame(one: Policies, other: Policies): boolean {
  for (const name in one) {
    const [value, kept] = [one[name as keyof Policies], other[name as keyof Policies]];
    if (value === kept) continue;
    if (typeof value !== "object" || typeof kept !== "object") return false;
    if (value.requests !== kept.requests || value.windowSecs !== kept.windowSecs) return false;
  }
  return true;
}
