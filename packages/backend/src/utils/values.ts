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

/** The message of anything thrown. */
export function errorMessage(error: unknown): string {
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
