import type { Keeper } from "./keeper.ts";

/** The latest items of a kind, oldest first. */
export class History<Item extends object> {
  readonly #table: string;
  readonly #most: number;
  readonly #keeper: Keeper | undefined;
  #items: readonly Item[] = [];
  /** The number of items so far; the keys of rows are the numbers. */
  #last = 0;

  /** Keeps at most `most` items, as rows of a table. */
  constructor(table: string, most: number, keeper: Keeper | undefined) {
    this.#table = table;
    this.#most = most;
    this.#keeper = keeper;
    keeper?.addHistory(table);
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  /** Adds an item, and drops the oldest if they are too many. */
  add(item: Item): void {
    this.#last += 1;
    this.#keeper?.change({ collection: this.#table, key: String(this.#last), after: item }, "soon");
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
    this.#keeper?.change({ collection: this.#table, key: String(number), before: item }, "soon");
  }
}
