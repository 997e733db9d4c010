/** How much of what happened a backend remembers; the oldest goes first. */
export const mostKept = {
  /** Transfers, of which those under way are never let go. */
  transfers: 1000,
  /** Late answers of one ring. */
  lateAnswers: 200,
  deliveries: 1000,
  inboxEvents: 1000,
} as const;

/** A list with one more at its end, and without the first beyond `most`. */
export function withLatest<Item>(items: readonly Item[], item: Item, most: number): Item[] {
  return [...items.slice(Math.max(0, items.length + 1 - most)), item];
}
