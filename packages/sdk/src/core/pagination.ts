import { InvalidResponseError } from "../errors/errors.ts";
import { operationFacts } from "../generated/operations.gen.ts";
import type { RequestOptions } from "../options/options.ts";
import { ApiPromise, type ApiResponse } from "./api-promise.ts";
import type { CallTransferCore } from "./core.ts";

/** How many pages in a row may repeat items; one that should not, and an empty one, counts for many. */
const mostStale = 400;
const idleWeight = 100;
/** How much a list may grow while it is read: tenfold, and so many items, which is more than any honest list does. */
const growthFactor = 10;
const mostAdded = 10_000;
/** How many items a list may hold that does not say how many. */
const mostWithoutTotal = 100_000;

interface PageQuery {
  limit?: number | undefined;
  offset?: number | undefined;
}

/** A page holds its items under a name of its own, and the size of the whole list. */
interface Page {
  readonly meta?: { readonly total?: number };
}

/**
 * The first page of a list. `await` gives that page; `for await` gives every item of every page, asking for the next
 * page when the last one is used up.
 *
 * A list may change while it is read. `for await` and `toArray` give each id once, and go back when `meta.total` shrinks:
 * while new items come in front only, no item is lost that stays in the list. Items added after the first page may be
 * missing, and where items also come in further down, others may be too. To be sure, read the list again.
 */
export class PagePromise<List, Item> extends ApiPromise<List> implements AsyncIterable<Item> {
  readonly #next: (offset: number) => Promise<List>;
  /** The items of a page. */
  readonly itemsOf: (list: List) => readonly Item[];
  readonly #start: number;
  readonly #operationId: string;

  constructor(
    first: Promise<ApiResponse<List>>,
    items: (list: List) => readonly Item[],
    start: number,
    next: (offset: number) => Promise<List>,
    operationId: string,
  ) {
    super(first);
    this.itemsOf = items;
    this.#start = start;
    this.#next = next;
    this.#operationId = operationId;
  }

  /**
   * The list page by page, as the pages came. While the list changes, an item may be on several pages, and a page may be
   * read again.
   *
   * @throws {InvalidResponseError} Pages give nothing new before `meta.total` is reached, or the list grows without end.
   */
  async *pages(): AsyncGenerator<List, void, undefined> {
    for await (const [page] of this.#read()) yield page;
  }

  /**
   * The list item by item, each id once.
   *
   * @throws {InvalidResponseError} Pages give nothing new before `meta.total` is reached, or the list grows without end.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const [, fresh] of this.#read()) yield* fresh;
  }

  /**
   * The items in one array, each id once.
   *
   * @param limits.maxItems The most items to collect, a whole number from 0; a list may be longer than memory.
   * @throws {TypeError} `maxItems` is missing or out of range.
   * @throws {InvalidResponseError} Pages give nothing new before `meta.total` is reached, or the list grows without end.
   */
  async toArray(limits: { maxItems: number }): Promise<Item[]> {
    const maxItems = limits?.maxItems;
    if (!Number.isInteger(maxItems) || maxItems < 0) {
      // The request is out already: what becomes of it is nobody's business any more.
      this.catch(() => {});
      throw new TypeError("maxItems must be a whole number from 0, as in toArray({ maxItems: 1000 })");
    }
    const collected: Item[] = [];
    for await (const [, fresh] of this.#read()) {
      // One by one, since only so many arguments fit into a call.
      for (const item of fresh) collected.push(item);
      if (collected.length >= maxItems) break;
    }
    return collected.slice(0, maxItems);
  }

  /** Every page with those of its items that were not given before. */
  async *#read(): AsyncGenerator<readonly [page: List, fresh: readonly Item[]], void, undefined> {
    const start = this.#start;
    const ids = new Set<unknown>();
    // What pages began with: an offset that gives such a page again was ignored by the server.
    const begins = new Set<unknown>();
    let total: number | undefined;
    let doubt: number | undefined;
    let mostGrowth = mostWithoutTotal;
    // All before `reached` was seen. Once the list has shrunk, pages overlap by as much as it did.
    let [offset, reached, overlap, growth, given, stale] = [start, start, 0, 0, 0, 0];
    for (let page: List = await this; ; page = await this.#next(offset)) {
      const items = this.itemsOf(page);
      const { length } = items;
      const end = offset + length;
      const told = (page as Page).meta?.total as number;
      // Anything else is no total, or one that its own page contradicts.
      if (Number.isSafeInteger(told) && told >= (length && end)) {
        if (total === undefined) mostGrowth = growthFactor * told + mostAdded;
        const change = told - (total ?? told);
        growth += Math.max(0, change);
        // What was removed further up moved the rest of the list forward, by no more than this.
        reached = Math.max(0, reached + Math.min(0, change));
        overlap = Math.max(overlap, -change);
        total = told;
      }
      const leavesGap = offset > reached;
      const fresh = leavesGap ? [] : items.filter((item) => isNew(item, ids));
      const begin = total === undefined ? JSON.stringify(items) : idOf(items[0]);
      given += fresh.length;
      if (total === undefined) growth += length;
      // Items that were added in front move others onto the next page: that much may be repeated.
      const isShort = given + growth < end - start;
      const isRepeated = begins.has(begin) && (total === undefined || (fresh.length === 0 && isShort));
      yield [page, isRepeated ? [] : fresh];
      if (fresh.length > 0) stale = 0;
      else stale += (isRepeated || length === 0) && !leavesGap ? idleWeight : 1;
      if (isRepeated) doubt ??= offset;
      if (!leavesGap) {
        reached = Math.max(reached, end);
        begins.add(begin);
      }
      // Without a total, nothing promises more.
      if (total === undefined && (isRepeated || fresh.length === 0)) return;
      const isEnd = total !== undefined && reached >= total;
      if (isEnd && (doubt === undefined || given + growth >= reached - start)) return;
      if (stale >= mostStale || growth > mostGrowth) {
        const why = growth > mostGrowth ? "it grows without end" : "nothing new comes";
        const at = doubt ?? reached;
        const message = `${this.#operationId} could not be read to its end: ${why} at offset ${at}, after ${given} items of ${total}. Read the list again, or continue with offset: ${at}`;
        const facts = {
          outcome: "applied",
          attempts: [],
          operationId: this.#operationId,
          retrySkippedReason: undefined,
        } as const;
        throw new InvalidResponseError(message, facts);
      }
      // A page came twice, and whatever should have been there did not come: from the top again.
      if (isEnd) [reached, doubt] = [start, undefined];
      offset = Math.max(0, reached - Math.max(0, Math.min(overlap, length - 1)));
    }
  }
}

const idOf = (item: unknown): unknown => (item as { id?: unknown } | null | undefined)?.id;

/** Whether an item has an id that was not there, which is there from now on, or none. */
const isNew = (item: unknown, ids: Set<unknown>): boolean =>
  idOf(item) === undefined || ids.size < ids.add(idOf(item)).size;

/** Starts a list that pages by limit and offset. */
export function requestPage<List, Item>(
  client: CallTransferCore,
  method: string,
  path: string,
  items: keyof List & string,
  filters: PageQuery | null | undefined,
  options?: RequestOptions,
): PagePromise<List, Item> {
  const ask = (query: PageQuery) => client.request<List>(method, path, { query }, options);
  const query = filters ?? {};
  const itemsOf = (list: List) => (Array.isArray(list[items]) ? list[items] : []) as readonly Item[];
  const next = (offset: number) => ask({ ...query, offset });
  const operation = `${method} ${path}`;
  const operationId = operationFacts[operation]?.operationId ?? operation;
  // A program without types may have taken the offset from an address.
  return new PagePromise(ask(query).withResponse(), itemsOf, Number(query.offset ?? 0), next, operationId);
}
