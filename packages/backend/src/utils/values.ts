/** A value with fields that are readonly at every depth. */
export type DeepReadonly<Value> = Value extends object
  ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
  : Value;

/** The value of a JSON text; undefined if it is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is an object or a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

type Defined<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** A copy without the fields that are undefined. */
export function omitUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a value is an absolute http or https address. */
export function isWebAddress(value: unknown): value is string {
  return typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/** How many entries of each history a backend keeps; the oldest go first. */
export const retention = {
  /** Transfers under way are never dropped. */
  transfers: 1000,
  /** For each ring. */
  lateAnswers: 200,
  deliveries: 1000,
  inboxEvents: 1000,
} as const;

/** At most `limit` items of a list: the first ones if they come `after` something, otherwise the last ones. */
export function limited<Item>(
  items: readonly Item[],
  { after, limit }: { readonly after?: unknown; readonly limit?: number | undefined },
): readonly Item[] {
  if (limit === undefined) return items;
  return after === undefined ? items.slice(-limit) : items.slice(0, limit);
}

/** Appends an item and drops the oldest beyond `most`. */
export function withLatest<Item>(items: readonly Item[], item: Item, most: number): Item[] {
  return [...items.slice(Math.max(0, items.length + 1 - most)), item];
}

/**
 * The latest items, numbered from 1, in a ring buffer: objects that are held for long cost every request a share of garbage
 * collection.
 */
export class Ring<Item> {
  readonly #size: number;
  #items: Item[] = [];
  /** The number of the latest item. */
  last = 0;
  /** The last number before the latest clear: positions count from there. */
  cleared = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** The number before the oldest item. */
  get dropped(): number {
    return Math.max(this.cleared, this.last - this.#size);
  }

  add(item: Item): void {
    this.last += 1;
    this.#items[this.#position(this.last)] = item;
  }

  /** The item of a number; undefined if it is not kept. */
  at(number: number): Item | undefined {
    return number > this.dropped && number <= this.last ? this.#items[this.#position(number)] : undefined;
  }

  /** The items after a number, oldest first. */
  after(number = 0): Item[] {
    const first = Math.max(number, this.dropped) + 1;
    const numbers = Array.from({ length: Math.max(0, this.last - first + 1) }, (_, index) => first + index);
    return numbers.map((one) => this.at(one)).filter((item) => item !== undefined);
  }

  /** Puts items, with their numbers, in place of the present ones. */
  resume(last: number, cleared: number, items: readonly (readonly [number: number, item: Item])[] = []): void {
    this.last = last;
    this.cleared = cleared;
    this.#items = [];
    for (const [number, item] of items) this.#items[this.#position(number)] = item;
  }

  #position(number: number): number {
    return (number - this.cleared - 1) % this.#size;
  }
}
