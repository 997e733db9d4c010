// Reading a list by offset while it changes.
import { InvalidResponseError } from "../errors/request-error.ts";

/** Limit of pages in a row without new items. A page that should have brought some counts as several. */
const maxStale = 400;
const idleWeight = 100;
/** Limits of growth while a list is read: tenfold plus this many items, more than any real list. */
const maxGrowthFactor = 10;
const maxAdded = 10_000;
/** Limit of items in a list without a total. */
const maxWithoutTotal = 100_000;

const idOf = (item: unknown): unknown => (item as { id?: unknown } | null | undefined)?.id;

/** Whether an item has no ID or a new one, which is then recorded. */
const isNew = (item: unknown, ids: Set<unknown>): boolean =>
  idOf(item) === undefined || ids.size < ids.add(idOf(item)).size;

/** The error of a list whose pages are unusable. */
export function unreadable(operationId: string, problem: string): InvalidResponseError {
  const details = { outcome: "applied", attempts: [], operationId, retrySkippedReason: undefined } as const;
  return new InvalidResponseError(`${operationId} ${problem}`, details);
}

const unfinished = (operationId: string, why: string, at: number, count: string): InvalidResponseError =>
  unreadable(
    operationId,
    `could not be read to its end: ${why} at offset ${at}, after ${count}. Read the list again, or continue with offset: ${at}`,
  );

/**
 * Creates what decides which page of a list comes next. `accept` takes in the page at the current offset and returns its new
 * items. `nextOffset` moves to the next page and returns its offset, or undefined at the end of the list.
 */
export function createListReader<Item>(operationId: string, start: number) {
  const ids = new Set<unknown>();
  // First item of each page, or all IDs of a page without a total. If they come again, the server ignored the offset.
  const firsts = new Set<unknown>();
  let total: number | undefined;
  /** Offset of a page that came twice. Until enough items came, the list is then read again. */
  let doubt: number | undefined;
  let maxGrowth = maxWithoutTotal;
  // Everything before `reached` was read. After the list shrinks, pages overlap by as much.
  let [offset, reached, overlap, growth, given, stale, length] = [start, start, 0, 0, 0, 0, 0];
  let foundNothing = false;

  /** Takes in `meta.total`, unless its own page contradicts it. */
  const noteTotal = (current: number, least: number): void => {
    if (!Number.isSafeInteger(current) || current < least) return;
    if (total === undefined) maxGrowth = maxGrowthFactor * current + maxAdded;
    const change = current - (total ?? current);
    growth += Math.max(0, change);
    // Items removed further up moved the rest forward by at most this.
    reached = Math.max(0, reached + Math.min(0, change));
    overlap = Math.max(overlap, -change);
    total = current;
  };

  return {
    accept(items: readonly Item[], newTotal: unknown): readonly Item[] {
      length = items.length;
      const end = offset + length;
      noteTotal(newTotal as number, length && end);
      const leavesGap = offset > reached;
      const fresh = leavesGap ? [] : items.filter((item) => isNew(item, ids));
      const first = total === undefined ? JSON.stringify(items.map((item) => idOf(item) ?? item)) : idOf(items[0]);
      given += fresh.length;
      if (total === undefined) growth += length;
      // Items added in front move others onto the next page: as many may be repeated.
      const isShort = given + growth < end - start;
      const isRepeated = firsts.has(first) && (total === undefined || (fresh.length === 0 && isShort));
      stale = fresh.length > 0 ? 0 : stale + ((isRepeated || length === 0) && !leavesGap ? idleWeight : 1);
      if (isRepeated) doubt ??= offset;
      if (!leavesGap) {
        reached = Math.max(reached, end);
        firsts.add(first);
      }
      foundNothing = isRepeated || fresh.length === 0;
      return isRepeated ? [] : fresh;
    },
    nextOffset(): number | undefined {
      // Without a total, a page without new items is the last one.
      const isAtEnd = total === undefined ? foundNothing : reached >= total;
      const isWhole = total === undefined || doubt === undefined || given + growth >= reached - start;
      if (isAtEnd && isWhole) return undefined;
      const why = growth > maxGrowth ? "it keeps growing" : stale >= maxStale && "pages bring nothing new";
      if (why) throw unfinished(operationId, why, doubt ?? reached, `${given} items of ${total ?? "unknown"}`);
      // A page came twice, and its items are still missing: start again.
      if (isAtEnd) [reached, doubt] = [start, undefined];
      offset = Math.max(0, reached - Math.max(0, Math.min(overlap, length - 1)));
      return offset;
    },
  };
}
