// Paging an infinite query by offset while the list changes.

/** What a page says of its list. */
export interface PageFacts {
  /** Number of items on the page. */
  readonly count: number;
  /** `meta.total`, if the response has it. */
  readonly total: number | undefined;
}

/**
 * Returns the offset of the next page, or undefined at the end of the list. Goes back when `meta.total` shrinks: removed
 * items may have moved unread ones onto earlier pages. Items may then come twice, but none that stays in the list is lost.
 *
 * @param offsets The offset of each page.
 */
export function nextOffset(pages: readonly PageFacts[], offsets: readonly number[]): number | undefined {
  let reached = offsets[0] ?? 0;
  let total: number | undefined;
  let isOver = false;
  pages.forEach((page, index) => {
    const offset = offsets[index] ?? reached;
    const end = offset + page.count;
    // A total that its own page exceeds is wrong.
    const current = page.total === undefined ? undefined : Math.max(page.total, page.count > 0 ? end : 0);
    if (current !== undefined && total !== undefined) reached = Math.max(0, reached - Math.max(0, total - current));
    const leavesGap = offset > reached;
    if (!leavesGap) reached = Math.max(reached, end);
    // A server may give nothing although its total promises more.
    isOver = page.count === 0 && !leavesGap;
    total = current;
  });
  return isOver || (total !== undefined && reached >= total) ? undefined : reached;
}
