// Lists: the types of their pages, reading them by offset while they change, and iterating over their items.
import { InvalidArgumentError } from "../errors/base.ts";
import { InvalidResponseError, RequestError } from "../errors/request-error.ts";
import { operationFacts } from "../generated/operations.gen.ts";
import type { RequestOptions } from "../options/options.ts";
import { maskNumbers } from "../utils/redact.ts";
import { ApiPromise, type ApiResponse } from "./api-promise.ts";
import type { CallTransferCore } from "./core.ts";
import type { RequestInput } from "./prepare.ts";

/** Parameters of a list, and where its items are. */
export interface ListInput<Field extends string = string> extends Omit<RequestInput, "body"> {
  /** Name of the field of a page that holds its items, such as `contacts`. */
  readonly itemsField: Field;
}

/** Names of a page's fields that are lists; any text if nothing is known of the page. */
export type ItemsField<Page> = unknown extends Page
  ? string
  : string &
      keyof {
        [Field in keyof Page as IsList<Page, Field> extends true ? Field : never]: never;
      };

/** Whether a field is a list. An index signature has no field names, so it does not count. */
type IsList<Page, Field extends keyof Page> = string extends Field
  ? false
  : NonNullable<Page[Field]> extends readonly unknown[]
    ? true
    : false;

/** An item of a page's list. */
export type PageItem<Page, Field extends string> = unknown extends Page
  ? unknown
  : Field extends keyof Page
    ? NonNullable<Page[Field]> extends readonly (infer Item)[]
      ? Item
      : never
    : never;

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
    `could not be read to its end: ${why} at offset ${at}, after ${count}. Read it again, or continue with offset: ${at}`,
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
   * @param limits.maxItems Maximum length of the array, an integer from 0.
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
      throw new InvalidArgumentError("maxItems", "must be an integer from 0, as in toArray({ maxItems: 1000 })");
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
      const { [input.itemsField as string]: found, meta } = Object(page);
      const isKnown = operationFacts[`GET ${path}`];
      if (Array.isArray(found) && (isKnown || Number.isSafeInteger(meta?.total))) return found;
      if (isKnown) return [];
      throw unreadable(this.operationId, `has no list ${input.itemsField} with meta.total: check itemsField`);
    },
    next: (offset) => client.request<List>("GET", path, { ...input, query: { ...input.query, offset } }, options),
  });
}
