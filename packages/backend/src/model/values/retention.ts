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
