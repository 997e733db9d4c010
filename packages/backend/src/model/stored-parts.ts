import type { StateWriter } from "./state-writer.ts";
import { isRestorable, type SetTimer, type Timer, type TimerWatch } from "./timer-queue.ts";

/** The latest items of a kind, oldest first. */
export class History<Item extends object> {
  readonly #table: string;
  readonly #most: number;
  readonly #writer: StateWriter | undefined;
  #items: readonly Item[] = [];
  /** The number of items so far; the keys of rows are the numbers. */
  #last = 0;

  /** Keeps at most `most` items, as rows of a table. */
  constructor(table: string, most: number, writer: StateWriter | undefined) {
    this.#table = table;
    this.#most = most;
    this.#writer = writer;
    writer?.addHistory(table);
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Adds an item, and drops the oldest if they are too many. */
  add(item: Item): void {
    this.#last += 1;
    this.#writer?.change({ collection: this.#table, key: String(this.#last), after: item }, "soon");
    const dropped = this.#items.length >= this.#most ? this.#items[0] : undefined;
    if (dropped !== undefined) this.#remove(this.#last - this.#items.length, dropped);
    this.#items = [...(dropped === undefined ? this.#items : this.#items.slice(1)), item];
  }

  /** Puts stored items in place of the present ones; they must be consecutive. */
  resume(rows: readonly (readonly [key: string, item: Item])[]): void {
    this.#items = rows.map(([, item]) => item);
    this.#last = Number(rows.at(-1)?.[0] ?? 0);
  }

  clear(): void {
    for (const [index, item] of this.#items.entries()) this.#remove(this.#last - this.#items.length + index + 1, item);
    this.#items = [];
  }

  #remove(number: number, item: Item): void {
    this.#writer?.change({ collection: this.#table, key: String(number), before: item }, "soon");
  }
}

/** The table of the timers. */
export const timerTable = "timers";

/** Keeps where a clock stands, and each timer as a row, in the order in which they were set. */
export class StoredTimers implements TimerWatch {
  readonly #writer: StateWriter;
  readonly #rows = new Map<Timer, readonly [key: string, row: SetTimer]>();
  #last = 0;
  /** The key of the row that the next timer comes from. */
  #resumed: string | undefined;

  constructor(writer: StateWriter) {
    this.#writer = writer;
  }

  added(timer: Timer): void {
    if (timer.purpose === undefined || !isRestorable(timer.purpose.kind)) return;
    const key = this.#resumed ?? String(this.#last + 1);
    this.#last = Math.max(this.#last, Number(key));
    const row = { at: timer.at, ...timer.purpose };
    this.#rows.set(timer, [key, row]);
    if (this.#resumed === undefined) this.#writer.change({ collection: timerTable, key, after: row });
  }

  removed(timer: Timer): void {
    const [key, row] = this.#rows.get(timer) ?? [];
    if (key === undefined) return;
    this.#rows.delete(timer);
    this.#writer.change({ collection: timerTable, key, before: row });
  }

  /** Notes that the clock has moved. */
  readonly moved = (): void => this.#writer.touch("clock");

  /** Sets a timer again that is stored under a key. */
  resume(key: string, schedule: () => void): void {
    this.#resumed = key;
    schedule();
    this.#resumed = undefined;
  }
}
