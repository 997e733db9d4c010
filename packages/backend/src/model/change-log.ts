import type { BackendClock } from "./clock.ts";
import type { Events } from "./events.ts";
import type { RecordWatch } from "./indexes.ts";
import type { TransferRecord } from "./records.ts";
import type { NotedRecord, StateWriter } from "./state-writer.ts";
import {
  internalTimers,
  type SetTimer,
  type Timer,
  type TimerEnd,
  type TimerPurpose,
  type TimerWatch,
} from "./timer-queue.ts";

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
  readonly clock: Pick<BackendClock, "now" | "iso" | "mode" | "rate">;
  readonly expiries: { refresh(): void };
  readonly state: { readonly transfers: ReadonlyMap<string, TransferRecord> };
  readonly events: Pick<Events, "emit">;
}

/** Notes each change of a record or a timer: for the store, and for the effects of a request. Announces changes of the clock and its timers. */
export class ChangeLog implements RecordWatch, TimerWatch {
  readonly #present: () => Present;
  readonly #writer: StateWriter | undefined;
  /** What the task under way has changed so far. */
  #running: { readonly changes: RecordChange[]; readonly timers: SetTimer[] } | undefined;

  constructor(present: () => Present, writer: StateWriter | undefined) {
    this.#present = present;
    this.#writer = writer;
  }

  record(change: NotedRecord): void {
    const isWindow = change.collection === "windows";
    if (!isWindow) this.#running?.changes.push(shown(change));
    this.#writer?.change(change, isWindow ? "soon" : "now");
  }

  added({ at, purpose }: Timer): void {
    if (purpose === undefined) return;
    if (!internalTimers.has(purpose.kind)) this.#running?.timers.push({ at, ...purpose });
    this.#announce("timer.set", at, purpose);
  }

  removed({ at, purpose }: Timer, end: TimerEnd): void {
    if (purpose !== undefined && end !== "dropped") this.#announce(`timer.${end}`, at, purpose);
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
    const running = { changes: [], timers: [] };
    this.#running = running;
    try {
      return { result: task(), effects: ifAny(running) };
    } catch (error) {
      return { effects: ifAny(running), thrown: { error } };
    } finally {
      this.#running = undefined;
    }
  }

  #announce(type: string, at: number, purpose: TimerPurpose): void {
    if (internalTimers.has(purpose.kind)) return;
    const { state, events } = this.#present();
    // Described at once: the transfer may be gone when someone reads the event.
    const timer = describedTimer(state.transfers, purpose);
    events.emit(type, () => ({ timerAt: new Date(at).toISOString(), ...shownTimer(timer) }));
  }
}

// Absent without effects: what the request log holds for long costs every request a share of garbage collection.
const ifAny = (effects: Effects): Effects | undefined =>
  effects.changes.length + effects.timers.length > 0 ? effects : undefined;

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
