// The options objects that TanStack Query takes. Only types come from its package, so nothing of it is loaded here.
import type { DataTag, InfiniteData } from "@tanstack/query-core";
import type { CallTransferCore } from "../core/core.ts";
import { transport } from "../core/transport.ts";
import type { CallTransferError } from "../errors/base.ts";
import type { operations } from "../generated/types.gen.ts";
import type { RequestOptions } from "../options/options.ts";

/** What a key says of a client. It holds no credential. */
export interface ClientKey {
  /** Base URL of the client. */
  readonly baseUrl: string;
  /** Account of the request or of the client; absent if neither names one. */
  readonly accountId?: string;
}

/** Beginning of the keys of a client's queries and mutations. */
export type ClientKeyPrefix = readonly ["call-transfer", ClientKey];

/** Key of an operation's mutations, and beginning of the keys of its queries. */
export type OperationKey<Id extends string> = readonly [...ClientKeyPrefix, Id];

/** Parameters in a key, without those that are undefined. */
export type KeyInput = Readonly<Record<string, unknown>>;

/** What the options of queries and mutations share. */
interface OperationOptions {
  /** The SDK retries. */
  retry: false;
  /** Never set. TanStack Query infers the type of `error` from here. */
  throwOnError?: (error: CallTransferError) => boolean;
}

/** Options of a query. Pass them to `useQuery`, `queryClient.fetchQuery` and the like, or spread them to add your own. */
export interface OperationQueryOptions<Id extends string, Data> extends OperationOptions {
  /** Key of the query: operation, client and input. */
  queryKey: DataTag<readonly [...OperationKey<Id>, KeyInput], Data, CallTransferError>;
  /** Sends the request. It ends when the query is cancelled or its last component unmounts. */
  queryFn: (context: { signal: AbortSignal }) => Promise<Data>;
}

/** Options of an infinite query, whose page parameter is the offset. */
export interface OperationInfiniteQueryOptions<Id extends string, Page> extends OperationOptions {
  /** Key of the query: operation, `infinite`, client and input. */
  queryKey: DataTag<
    readonly [...OperationKey<Id>, "infinite", KeyInput],
    InfiniteData<Page, number>,
    CallTransferError
  >;
  /** Requests one page. It ends when the query is cancelled or its last component unmounts. */
  queryFn: (context: { signal: AbortSignal; pageParam: number }) => Promise<Page>;
  /** Offset of the first page. */
  initialPageParam: number;
  /**
   * Returns the offset of the next page. Goes back when `meta.total` shrinks, so that no item is lost. An item may be on
   * several pages.
   */
  getNextPageParam: (lastPage: Page, pages: Page[], lastOffset: number, offsets: number[]) => number | undefined;
}

/** Options of a mutation. Its variables are the operation's parameters by name, e.g. `{ memberId }` or `{ body }`. */
export interface OperationMutationOptions<Id extends string, Variables, Data> extends OperationOptions {
  /** Key of the mutation. */
  mutationKey: OperationKey<Id>;
  /** Sends the request. */
  mutationFn: (variables: Variables) => Promise<Data>;
  /** Sent at once or not at all: TanStack Query would otherwise pause it offline and send it later. */
  networkMode: "always";
}

/**
 * The beginning of keys, to find queries and mutations: all of a client, or all of one operation.
 *
 * The client's account is part of it. If neither the client nor `options` names one, it matches every account.
 *
 * @example
 * await queryClient.invalidateQueries({ queryKey: queryKeyPrefix(client, "listCalls") });
 */
export function queryKeyPrefix(
  client: CallTransferCore,
  operationId?: undefined,
  options?: Pick<RequestOptions, "accountId">,
): ClientKeyPrefix;
export function queryKeyPrefix<Id extends keyof operations>(
  client: CallTransferCore,
  operationId: Id,
  options?: Pick<RequestOptions, "accountId">,
): OperationKey<Id>;
export function queryKeyPrefix(
  client: CallTransferCore,
  operationId?: string,
  options?: Pick<RequestOptions, "accountId">,
): readonly unknown[] {
  const { baseUrl, accountId } = client[transport]();
  const key = ["call-transfer", present({ baseUrl, accountId: options?.accountId ?? accountId })];
  return operationId === undefined ? key : [...key, operationId];
}

/** The values that a request would hold. */
const present = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));

/** Parameters of an operation by name, and its query parameters as `query`. */
export interface Parameters {
  readonly query?: object | undefined;
  readonly [name: string]: unknown;
}

function inputOf({ query, ...path }: Parameters, options: RequestOptions | undefined): KeyInput {
  const filters = present({ ...options?.extraQuery, ...present(query ?? {}) });
  return { ...present(path), ...(Object.keys(filters).length > 0 && { query: filters }) };
}

/** The options of a request that also ends with another signal. */
const withSignal = (options: RequestOptions | undefined, signal: AbortSignal): RequestOptions => ({
  ...options,
  signal: options?.signal ? either(signal, options.signal) : signal,
});

/** `AbortSignal.any`, which is newer than some runtimes. */
function either(one: AbortSignal, other: AbortSignal): AbortSignal {
  const { any } = Object(globalThis.AbortSignal) as Partial<typeof AbortSignal>;
  if (any) return AbortSignal.any([one, other]);
  const both = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) both.abort(signal.reason);
    else signal.addEventListener("abort", () => both.abort(signal.reason), { once: true, signal: both.signal });
  }
  return both.signal;
}

export function queryOptions<Id extends keyof operations, Data>(
  client: CallTransferCore,
  operationId: Id,
  parameters: Parameters,
  options: RequestOptions | undefined,
  send: (options: RequestOptions) => Promise<Data>,
): OperationQueryOptions<Id, Data> {
  const queryKey = [...queryKeyPrefix(client, operationId, options), inputOf(parameters, options)] as const;
  return {
    // The tag exists only as a type.
    queryKey: queryKey as OperationQueryOptions<Id, Data>["queryKey"],
    queryFn: ({ signal }) => send(withSignal(options, signal)),
    retry: false,
  };
}

/** What a page says of its list. */
interface PageFacts {
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
function nextOffset(pages: readonly PageFacts[], offsets: readonly number[]): number | undefined {
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

export function infiniteQueryOptions<
  Id extends keyof operations,
  Page extends { readonly meta: { readonly total: number } },
>(
  client: CallTransferCore,
  operationId: Id,
  parameters: Parameters & { readonly query: { readonly offset?: number | undefined } | undefined },
  options: RequestOptions | undefined,
  itemsOf: (page: Page) => readonly unknown[],
  send: (offset: number, options: RequestOptions) => Promise<Page>,
): OperationInfiniteQueryOptions<Id, Page> {
  const queryKey = [...queryKeyPrefix(client, operationId, options), "infinite", inputOf(parameters, options)] as const;
  // The response may lack what its type promises.
  const factsOf = (page: Page) => ({ count: itemsOf(page)?.length ?? 0, total: page.meta?.total });
  return {
    queryKey: queryKey as OperationInfiniteQueryOptions<Id, Page>["queryKey"],
    queryFn: ({ signal, pageParam }) => send(pageParam, withSignal(options, signal)),
    initialPageParam: parameters.query?.offset ?? 0,
    getNextPageParam: (_last, pages, _lastOffset, offsets) => nextOffset(pages.map(factsOf), offsets),
    retry: false,
  };
}

export function mutationOptions<Id extends keyof operations, Variables, Data>(
  client: CallTransferCore,
  operationId: Id,
  options: RequestOptions | undefined,
  send: (variables: Variables) => Promise<Data>,
): OperationMutationOptions<Id, Variables, Data> {
  return {
    mutationKey: queryKeyPrefix(client, operationId, options),
    mutationFn: send,
    retry: false,
    networkMode: "always",
  };
}
