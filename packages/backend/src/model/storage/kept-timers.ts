import { isRestorable, type SetTimer, type Timer, type TimerWatch } from "../time/timer-queue.ts";
import type { Undo } from "./changed-rows.ts";
import type { Keeper } from "./keeper.ts";

/** The table of the timers. */
export const timerTable = "timers";

/** Keeps where a clock stands, and each timer as a row, in the order in which they were set. */
export class KeptTimers implements TimerWatch {
  readonly #keeper: Keeper;
  readonly #rows = new Map<Timer, readonly [key: string, row: SetTimer]>();
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
    const row = { at: timer.at, ...timer.purpose };
    this.#rows.set(timer, [key, row]);
    if (this.#resumed === undefined) this.#keeper.change({ collection: timerTable, key, after: row });
  }

  removed(timer: Timer): void {
    const [key, row] = this.#rows.get(timer) ?? [];
    if (key === undefined) return;
    this.#rows.delete(timer);
    this.#keeper.change({ collection: timerTable, key, before: row });
  }

  /** Notes that the clock has moved. */
  readonly moved = (): void => this.#keeper.touch("clock");

  /** The rows of the timers, with some changes undone. */
  rowsWithout({ surplus, removed }: Undo): (readonly [key: string, row: SetTimer])[] {
    const rows = new Map<string, object>(this.#rows.values());
    for (const key of surplus) rows.delete(key);
    for (const { key, value } of removed) rows.set(key, value);
    // Each timer has the next number. The rows are those that `added` made.
    return [...rows].sort(([one], [other]) => Number(one) - Number(other)) as [string, SetTimer][];
  }

  /** Sets a timer again that is stored under a key. */
  resume(key: string, schedule: () => void): void {
    this.#resumed = key;
    schedule();
    this.#resumed = undefined;
  }
}
