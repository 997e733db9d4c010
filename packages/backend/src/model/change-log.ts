import type { Events } from "./changes/events.ts";
import type { RecordWatch } from "./changes/reporting-map.ts";
import { type Moment, type NotedTimer, type RecordsByCollection, undoneChanges, windows } from "./past.ts";
import type { Policies } from "./policies.ts";
import type { TransferRecord } from "./records/transfer-record.ts";
import type { NotedRecord } from "./storage/changed-rows.ts";
import type { Keeper } from "./storage/keeper.ts";
import type { WorldClock } from "./time/clock.ts";
import {
  internalTimers,
  type SetTimer,
  type Timer,
  type TimerEnd,
  type TimerPurpose,
  type TimerWatch,
} from "./time/timer-queue.ts";

/** A record that was added (no `before`), replaced, or removed (no `after`). */
export interface RecordChange {
  /** The name of the collection, such as `members`. */
  readonly collection: string;
  readonly id: string;
  readonly before?: object;
  readonly after?: object;
}

/** What a task changed. */
export interface Effects {
  readonly changes: readonly RecordChange[];
  readonly timers: readonly SetTimer[];
}

/** A timer with what it rings, if it belongs to a ring of a transfer. */
export interface DescribedTimer extends TimerPurpose {
  readonly destinationId?: string;
  readonly memberId?: string;
}

/** The backend that changes. */
export interface Present {
  readonly clock: Pick<WorldClock, "now" | "iso" | "mode" | "rate">;
  readonly expiries: { refresh(): void };
  readonly random: { readonly position: number };
  readonly policies: Policies;
  readonly state: { readonly transfers: ReadonlyMap<string, TransferRecord> };
  readonly events: Pick<Events, "emit">;
}

/** The number of changes that are kept: about 20 for each of the 200 requests whose details are. */
const most = 4000;

/**
 * Notes each change of a record or a timer: for the store, for the effects of a request, and so that the backend can be seen
 * as a request found it. Announces changes of the clock and its timers. Records are replaced, never changed, so that an earlier one costs no copy.
 */
export class ChangeLog implements RecordWatch, TimerWatch {
  readonly #present: () => Present;
  readonly #keeper: Keeper | undefined;
  // A ring buffer: a change stands at its number modulo the size.
  #changes: (NotedRecord | NotedTimer)[] = [];
  #position = 0;
  /** The number of the first change that is known. */
  #first = 0;
  /** The policies of the latest moment. */
  #policies: Policies | undefined;

  constructor(present: () => Present, keeper: Keeper | undefined) {
    this.#present = present;
    this.#keeper = keeper;
  }

  record(change: NotedRecord): void {
    this.#add(change);
    this.#keeper?.change(change, change.collection === windows ? "soon" : "now");
  }

  added({ at, purpose }: Timer): void {
    if (purpose === undefined) return;
    this.#add({ timer: { at, ...purpose }, rank: undefined });
    this.#announce("timer.set", at, purpose);
  }

  removed({ at, purpose }: Timer, rank: number, end: TimerEnd): void {
    if (purpose === undefined) return;
    this.#add({ timer: { at, ...purpose }, rank });
    if (end !== "dropped") this.#announce(`timer.${end}`, at, purpose);
  }

  /** Announces that the clock was set, or moved by a step of `by` milliseconds. */
  readonly clockChanged = (by?: number): void => {
    const { clock, events, expiries } = this.#present();
    if (by === undefined) expiries.refresh();
    const { mode, rate } = clock;
    events.emit("clock.changed", { now: clock.iso(), mode, rate, ...(by !== undefined && { by }) });
  };

  /** Runs a task, which must not be asynchronous. Returns its effects if it has any, also if it throws. */
  during<Result>(task: () => Result): {
    readonly result?: Result;
    readonly effects: Effects | undefined;
    readonly thrown?: { readonly error: unknown };
  } {
    const first = this.#position;
    try {
      return { result: task(), effects: this.#effectsFrom(first) };
    } catch (error) {
      return { effects: this.#effectsFrom(first), thrown: { error } };
    }
  }

  /** The present moment. With an earlier moment of the same request, its rate-limit windows are those of then. */
  moment(earlier?: Moment): Moment {
    const { clock, random, policies } = this.#present();
    const position = this.#position;
    const windowsPosition = earlier?.windowsPosition ?? position;
    const kept = this.#policies;
    // Untyped code may change policies in place.
    const same = kept !== undefined && isSame(policies, kept) ? kept : structuredClone(policies);
    this.#policies = same;
    return { position, windowsPosition, now: clock.now(), random: random.position, policies: same };
  }

  /** The records and timers of a moment, from the present ones; undefined if too much has changed since. */
  at(
    moment: Moment,
    present: RecordsByCollection,
    presentTimers: readonly SetTimer[],
  ): ReturnType<typeof undoneChanges> | undefined {
    const { windowsPosition } = moment;
    if (windowsPosition < Math.max(this.#first, this.#position - most)) return undefined;
    const changes = this.#from(windowsPosition).reverse();
    return undoneChanges(changes, moment, present, presentTimers);
  }

  /** Forgets every change. */
  clear(): void {
    this.#changes = [];
    this.#first = this.#position;
  }

  #add(change: NotedRecord | NotedTimer): void {
    this.#changes[this.#position % most] = change;
    this.#position += 1;
  }

  /** The number of the first change that is kept, from one on. */
  #firstKept(first: number): number {
    return Math.max(first, this.#position - most);
  }

  /** The changes with their numbers from one on, as far as they are kept. */
  #from(first: number): [number: number, NotedRecord | NotedTimer][] {
    const found: [number, NotedRecord | NotedTimer][] = [];
    for (let number = this.#firstKept(first); number < this.#position; number += 1) {
      const change = this.#changes[number % most];
      if (change !== undefined) found.push([number, change]);
    }
    return found;
  }

  // Absent without effects: what the journal holds for long costs every request a share of garbage collection.
  #effectsFrom(first: number): Effects | undefined {
    if (this.#position === first) return undefined;
    const changes: RecordChange[] = [];
    const timers: SetTimer[] = [];
    for (let number = this.#firstKept(first); number < this.#position; number += 1) {
      const change = this.#changes[number % most];
      if (change === undefined) continue;
      if ("timer" in change) {
        if (change.rank === undefined && !internalTimers.has(change.timer.kind)) timers.push(change.timer);
      } else if (change.collection !== windows) changes.push(shown(change));
    }
    return { changes, timers };
  }

  #announce(type: string, at: number, purpose: TimerPurpose): void {
    if (internalTimers.has(purpose.kind)) return;
    const { state, events } = this.#present();
    // Described at once: the transfer may be gone when someone reads the event.
    const timer = describedTimer(state.transfers, purpose);
    events.emit(type, () => ({ timerAt: new Date(at).toISOString(), ...shownTimer(timer) }));
  }
}

/** A timer with what it rings. */
export function describedTimer(transfers: Present["state"]["transfers"], timer: TimerPurpose): DescribedTimer {
  const ring = timer.index === undefined ? undefined : transfers.get(timer.id)?.rings[timer.index];
  if (ring === undefined) return timer;
  const { destinationId, memberId } = ring;
  return { ...timer, destinationId, ...(memberId !== undefined && { memberId }) };
}

/** An upcoming timer or a timer's event as the control plane shows it: the index is that of a ring. */
export function shownTimer({
  index,
  ...timer
}: DescribedTimer): Omit<DescribedTimer, "index"> & { ringIndex?: number } {
  return { ...timer, ...(index !== undefined && { ringIndex: index }) };
}

/** A change of a record, by the record's id. Its key may be a secret, such as that of an API key. */
function shown({ collection, key, before, after }: NotedRecord): RecordChange {
  const record: { readonly id?: unknown } = before ?? after ?? {};
  const id = typeof record.id === "string" ? record.id : key;
  if (before === undefined) return after === undefined ? { collection, id } : { collection, id, after };
  return after === undefined ? { collection, id, before } : { collection, id, before, after };
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
