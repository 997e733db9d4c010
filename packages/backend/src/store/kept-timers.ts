import { isRestorable } from "../contents/snapshot.ts";
import type { Keeper } from "../model/storage/keeper.ts";
import type { Timer, TimerWatch } from "../model/time/timer-queue.ts";

/** The table of the timers. */
export const timerTable = "timers";

/** Keeps where a clock stands, and each timer as a row, in the order in which they were set. */
export class KeptTimers implements TimerWatch {
  readonly #keeper: Keeper;
  readonly #keys = new Map<Timer, string>();
  #last = 0;
  /** The key of the row that the next timer comes from. */
  #resumed: string | undefined;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  added(timer: Timer): void {
    if (timer.purpose === undefined || !isRestorable(timer.purpose.kind)) return;
    const key = this.#resumed ?? String(this.#last + 1);
    this.#last = Math.max(this.#last, Number(key));
    this.#keys.set(timer, key);
    if (this.#resumed === undefined) this.#keeper.change(timerTable, key, undefined, rowOf(timer));
  }

  removed(timer: Timer): void {
    const key = this.#keys.get(timer);
    if (key === undefined) return;
    this.#keys.delete(timer);
    this.#keeper.change(timerTable, key, rowOf(timer), undefined);
  }

  /** Notes that the clock has moved. */
  readonly moved = (): void => this.#keeper.touch("clock");

  /** Sets a timer again that is stored under a key. */
  resume(key: string, schedule: () => void): void {
    this.#resumed = key;
    schedule();
    this.#resumed = undefined;
  }
}

function rowOf({ at, purpose }: Timer) {
  return { at, ...purpose };
}
