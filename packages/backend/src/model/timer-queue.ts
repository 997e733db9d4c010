/** What a timer is for, in a form that a snapshot can keep and a person can read. */
export interface TimerPurpose {
  /** What the timer does, e.g. `secret.expires`. */
  readonly kind: string;
  /** The id of what the timer is about, and the index of the part of it. */
  readonly id: string;
  /** The index of the part, such as a member of a group; absent if the timer is about the whole. */
  readonly index?: number;
}

/** A timer that waits; `at` is in milliseconds since the epoch. */
export interface SetTimer extends TimerPurpose {
  readonly at: number;
}

/** Runs with the time that the timer was due at; the wall clock may have passed it. */
export type TimerTask = (dueAt: number) => void | Promise<void>;

/** A task that waits for its time, in milliseconds since the epoch. */
export interface Timer {
  readonly at: number;
  readonly task: TimerTask;
  readonly purpose: TimerPurpose | undefined;
}

/** Selects timers; without a kind or an index, those of every kind or index. */
export type TimerSelector = Pick<TimerPurpose, "id"> & Partial<TimerPurpose>;

/** The kind of the timer that ends a sleep. Snapshots leave it out: they cannot hold the work that continues. */
export const sleepEnds = "sleep.ends";

/** The kind of the timer that ends a call. */
export const callEndTimer = "call.ends";

/** The kind of the timer that chooses among the answers of one instant. */
export const answersSettle = "transfer.settles";

/** Timers that no event announces: they only continue what happens already. */
export const internalTimers: ReadonlySet<string> = new Set([sleepEnds, answersSettle]);

/** Whether a timer can be created again from its purpose. */
export function isRestorable(kind: string): boolean {
  return kind === callEndTimer || kind.startsWith("transfer.");
}

/** Why a timer is gone: it runs now, it was cancelled, or the clock begins again. */
export type TimerEnd = "fired" | "cancelled" | "dropped";

/** Notes timers that are added and removed. */
export interface TimerWatch {
  added(timer: Timer): void;
  removed(timer: Timer, end: TimerEnd): void;
}

/** Timers in the order in which they fire: by time, then by the order of adding. */
export class TimerQueue {
  readonly #watches: readonly TimerWatch[];
  #timers: Timer[] = [];

  constructor(watches: readonly TimerWatch[] = []) {
    this.#watches = watches;
  }

  get size(): number {
    return this.#timers.length;
  }

  get next(): Timer | undefined {
    return this.#timers[0];
  }

  add(timer: Timer): void {
    const index = this.#timers.findLastIndex(({ at }) => at <= timer.at) + 1;
    this.#timers.splice(index, 0, timer);
    for (const watch of this.#watches) watch.added(timer);
  }

  removeNext(): void {
    const [timer] = this.#timers;
    if (timer !== undefined) this.#remove(timer, "fired");
  }

  cancel({ kind, id, index }: TimerSelector): void {
    const isSelected = ({ purpose }: Timer): boolean =>
      purpose?.id === id && (kind ?? purpose.kind) === purpose.kind && (index ?? purpose.index) === purpose.index;
    for (const timer of this.#timers.filter(isSelected)) this.#remove(timer, "cancelled");
  }

  /** The timers that have a purpose. */
  list(): SetTimer[] {
    return this.#timers.flatMap(({ at, purpose }) => (purpose === undefined ? [] : [{ at, ...purpose }]));
  }

  clear(): void {
    for (const timer of [...this.#timers]) this.#remove(timer, "dropped");
  }

  #remove(timer: Timer, end: TimerEnd): void {
    this.#timers.splice(this.#timers.indexOf(timer), 1);
    for (const watch of this.#watches) watch.removed(timer, end);
  }
}
