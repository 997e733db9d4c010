import { type Answer, ApiPromise } from "./api-promise.ts";
import type { Core } from "./core.ts";
import type { RequestOptions } from "./options.ts";

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
 */
export class PagePromise<List, Item> extends ApiPromise<List> implements AsyncIterable<Item> {
  readonly #next: (offset: number) => Promise<List>;
  /** The items of a page. */
  readonly itemsOf: (list: List) => readonly Item[];
  readonly #start: number;

  constructor(
    first: Promise<Answer<List>>,
    items: (list: List) => readonly Item[],
    start: number,
    next: (offset: number) => Promise<List>,
  ) {
    super(first);
    this.itemsOf = items;
    this.#start = start;
    this.#next = next;
  }

  /** The list page by page. */
  async *pages(): AsyncGenerator<List, void, undefined> {
    let page: List = await this;
    let offset = this.#start;
    for (;;) {
      yield page;
      const items = this.itemsOf(page);
      offset += items.length;
      const total = (page as Page).meta?.total;
      if (items.length === 0 || (total !== undefined && offset >= total)) return;
      page = await this.#next(offset);
      // Without a total, a server that ignores the offset would never come to an end.
      if (total === undefined && JSON.stringify(this.itemsOf(page)) === JSON.stringify(items)) return;
    }
  }

  /** The list item by item. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.itemsOf(page);
  }

  /**
   * The items in one array.
   *
   * @param limits.maxItems The most items to collect, a whole number from 0; a list may be longer than memory.
   */
  async toArray({ maxItems }: { maxItems: number }): Promise<Item[]> {
    if (!Number.isInteger(maxItems) || maxItems < 0) {
      // The request is out already: what becomes of it is nobody's business any more.
      this.catch(() => {});
      throw new TypeError("maxItems must be a whole number from 0");
    }
    const collected: Item[] = [];
    for await (const page of this.pages()) {
      // One by one, since only so many arguments fit into a call.
      for (const item of this.itemsOf(page)) collected.push(item);
      if (collected.length >= maxItems) break;
    }
    return collected.slice(0, maxItems);
  }
}

/** Starts a list that pages by limit and offset. */
export function requestPage<List, Item>(
  client: Core,
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
  return new PagePromise(ask(query).withResponse(), itemsOf, query.offset ?? 0, next);
}
