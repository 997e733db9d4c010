import { InvalidArgumentError } from "../errors/invalid-argument-error.ts";
import { RequestError } from "../errors/request-error.ts";
import { operationFacts } from "../generated/operations.gen.ts";
import type { RequestOptions } from "../options/options.ts";
import { maskNumbers } from "../utils/mask-numbers.ts";
import { ApiPromise, type ApiResponse } from "./api-promise.ts";
import type { CallTransferCore } from "./core.ts";
import type { ListInput } from "./list.ts";
import { createListReader, unreadable } from "./list-reader.ts";

/** A page holds its items under a name of its own, and the size of the whole list. */
interface Page {
  readonly meta?: { readonly total?: unknown };
}

/** Says in an error of a later page which one it is about, so that a reader can go on there. */
function namePage(error: unknown, offset: number): void {
  if (!(error instanceof RequestError)) return;
  const { message, stack } = error;
  error.message = `${message} (the page at offset=${offset})`;
  if (stack) error.stack = stack.replace(message, () => error.message);
}

/** Where the pages of a list come from. */
export interface PageSource<List, Item> {
  /** The list's operationId, for errors. */
  readonly operationId: string;
  /** Offset of the first page. */
  readonly start: number;
  /** Returns the items of a page. */
  itemsOf(list: List): readonly Item[];
  /** Requests the page at an offset. */
  next(offset: number): Promise<List>;
}

/**
 * The first page of a list. `await` returns that page. `for await` iterates over the items of all pages, and requests
 * each page when it is needed.
 *
 * The list may change while it is read. `for await` and `toArray` return each ID once, and go back when `meta.total`
 * shrinks. As long as new items only appear at the front, no item that stays in the list is missed. Items added after the
 * first page may be missing; if items also appear further down, so may others. To be sure, read the list again.
 */
export class PagePromise<List, Item> extends ApiPromise<List> implements AsyncIterable<Item> {
  /**
   * Returns the items of a page.
   *
   * @internal
   */
  readonly itemsOf: (list: List) => readonly Item[];
  readonly #source: PageSource<List, Item>;

  /** @internal */
  constructor(first: Promise<ApiResponse<List>>, source: PageSource<List, Item>) {
    super(first);
    this.itemsOf = (list) => source.itemsOf(list);
    this.#source = source;
  }

  /**
   * Iterates over the pages as they arrive. If the list changes, an item may be on several pages, and a page may be read
   * again.
   *
   * @throws {InvalidResponseError} Pages bring nothing new before `meta.total` is reached, or the list keeps growing.
   */
  async *pages(): AsyncGenerator<List, void, undefined> {
    for await (const [page] of this.#read()) yield page;
  }

  /**
   * Iterates over the items of all pages, each ID once.
   *
   * @throws {InvalidResponseError} Pages bring nothing new before `meta.total` is reached, or the list keeps growing.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const [, fresh] of this.#read()) yield* fresh;
  }

  /**
   * Collects the items of all pages in an array, each ID once.
   *
   * @param limits.maxItems Limit of the array's length, a whole number from 0.
   * @throws {InvalidArgumentError} `maxItems` is missing or out of range.
   * @throws {InvalidResponseError} Pages bring nothing new before `meta.total` is reached, or the list keeps growing.
   */
  async toArray(limits: { maxItems: number }): Promise<Item[]> {
    let maxItems = -1;
    try {
      maxItems = limits?.maxItems;
    } catch {
      // A getter failed.
    }
    if (!Number.isInteger(maxItems) || maxItems < 0) {
      // The request is already in flight. Its failure must not be reported as unhandled.
      this.catch(() => {});
      throw new InvalidArgumentError("maxItems", "must be a whole number from 0, as in toArray({ maxItems: 1000 })");
    }
    const collected: Item[] = [];
    for await (const [, fresh] of this.#read()) {
      // One by one: the number of arguments of a call is limited.
      for (const item of fresh) collected.push(item);
      if (collected.length >= maxItems) break;
    }
    return collected.slice(0, maxItems);
  }

  /** Iterates over the pages with their new items. */
  async *#read(): AsyncGenerator<readonly [page: List, fresh: readonly Item[]], void, undefined> {
    let page: List = await this;
    const { operationId, start } = this.#source;
    const reader = createListReader<Item>(operationId, start);
    for (;;) {
      yield [page, reader.accept(this.itemsOf(page), (page as Page).meta?.total)];
      const offset = reader.nextOffset();
      if (offset === undefined) return;
      try {
        page = await this.#source.next(offset);
      } catch (error) {
        if (offset > 0) namePage(error, offset);
        throw error;
      }
    }
  }
}

/** The offset of the first page. Untyped code may pass text, or what the request then refuses. */
function offsetOf(input: { readonly query?: unknown }): number {
  try {
    return Number(Object(input.query).offset ?? 0);
  } catch {
    return 0;
  }
}

/**
 * Starts a list that pages by limit and offset. A list that this SDK version does not have may page in another way, and would
 * be cut short: each of its pages must show its items and `meta.total`.
 */
export function requestPage<List, Item>(
  client: CallTransferCore,
  path: string,
  input: Partial<ListInput> = {},
  options?: RequestOptions,
): PagePromise<List, Item> {
  // Reads its arguments only after the request has accepted them.
  return new PagePromise(client.request<List>("GET", path, input, options).withResponse(), {
    get operationId() {
      return operationFacts[`GET ${path}`]?.operationId ?? maskNumbers(`GET ${path}`);
    },
    start: offsetOf(input),
    itemsOf(page) {
      const { [input.items as string]: found, meta } = Object(page);
      const isKnown = operationFacts[`GET ${path}`];
      if (Array.isArray(found) && (isKnown || Number.isSafeInteger(meta?.total))) return found;
      if (isKnown) return [];
      throw unreadable(this.operationId, `has no list ${input.items} with meta.total: check items`);
    },
    next: (offset) => client.request<List>("GET", path, { ...input, query: { ...input.query, offset } }, options),
  });
}
