import {
  dehydrate,
  hashKey,
  hydrate,
  type InfiniteData,
  InfiniteQueryObserver,
  MutationObserver,
  onlineManager,
  QueryClient,
  QueryObserver,
} from "@tanstack/query-core";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import type { UnknownResult } from "../src/core/api-promise.ts";
import { type CallTransferError, InvalidArgumentError } from "../src/errors/base.ts";
import { OutcomeUnknownError } from "../src/errors/outcome-unknown-error.ts";
import type { Call, CallInitiated, CallList, CallQueued, RoleList } from "../src/generated/models.gen.ts";
import {
  createCallMutationOptions,
  deleteMemberHoursMutationOptions,
  getMemberAvailabilityQueryOptions,
  listCallsInfiniteQueryOptions,
  listCallsQueryOptions,
  listRolesQueryOptions,
  queryKeyPrefix,
} from "../src/query.ts";
import { apiKey, clientOf, json, networkError, problem, type Step } from "./test-server.ts";

const body = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const roles: RoleList = { roles: [] };
const call = (id: number): Call => ({ id: String(id), direction: "outbound", duration: 0 });

/** A page of calls: those with the ids from `first` to before `end`. */
const page = (total: number, first: number, end: number): Response =>
  json(200, { calls: Array.from({ length: end - first }, (_, index) => call(first + index)), meta: { total } });

/** Never answers, and rejects when its request is aborted. */
const hangs: Step = ({ signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

let queryClient: QueryClient;
beforeEach(() => {
  queryClient = new QueryClient();
});
afterEach(() => {
  onlineManager.setOnline(true);
  queryClient.clear();
});

describe("a query", () => {
  it("returns what the operation returns", async () => {
    const { client, sent } = clientOf([json(200, { available: true, busy: false })]);
    const options = getMemberAvailabilityQueryOptions(client, "m-1");
    expect(await queryClient.fetchQuery(options)).toEqual({ available: true, busy: false });
    expect(queryClient.getQueryData(options.queryKey)).toEqual({ available: true, busy: false });
    expect(sent.map(({ url }) => url)).toEqual(["https://api.example.com/api/v1/transfers/members/m-1/availability"]);
  });

  it("passes the options of the request on", async () => {
    const { client, sent } = clientOf([json(200, roles)]);
    await queryClient.fetchQuery(listRolesQueryOptions(client, { accountId: "acc-2", headers: { "x-team": "a" } }));
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({ "x-account-id": "acc-2", "x-team": "a" });
  });

  it("is not retried by TanStack Query, whatever its defaults are", async () => {
    queryClient.setDefaultOptions({ queries: { retry: 3, retryDelay: 0 } });
    const { client, sent } = clientOf([problem(404, "resource_not_found"), problem(404, "resource_not_found")]);
    await expect(queryClient.fetchQuery(listRolesQueryOptions(client))).rejects.toMatchObject({ status: 404 });
    expect(sent).toHaveLength(1);
  });

  it("is retried by the SDK", async () => {
    vi.useFakeTimers();
    const { client, sent } = clientOf([problem(500, "internal_error"), json(200, roles)]);
    const fetched = queryClient.fetchQuery(listRolesQueryOptions(client));
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(await fetched).toEqual(roles);
    expect(sent).toHaveLength(2);
  });

  it("aborts its request when its last observer leaves", async () => {
    const { client, sent } = clientOf([hangs]);
    const options = listRolesQueryOptions(client);
    const leave = new QueryObserver(queryClient, options).subscribe(() => {});
    await expect.poll(() => sent).toHaveLength(1);
    leave();
    await expect.poll(() => sent[0]?.init.signal?.aborted).toBe(true);
    expect(queryClient.getQueryState(options.queryKey)).toMatchObject({ status: "pending", fetchStatus: "idle" });
  });

  it.each([
    ["the query is cancelled", () => queryClient.cancelQueries()],
    ["the caller aborts", (caller: AbortController) => caller.abort()],
  ])("aborts its request when %s", async (_, abort) => {
    const caller = new AbortController();
    const { client, sent } = clientOf([hangs]);
    const fetched = queryClient.fetchQuery(listRolesQueryOptions(client, { signal: caller.signal }));
    const failed = expect(fetched).rejects.toThrow();
    await expect.poll(() => sent).toHaveLength(1);
    await abort(caller);
    await failed;
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  it("fails without a request for an id that no request can hold", async () => {
    const { client, sent } = clientOf([]);
    await expect(queryClient.fetchQuery(getMemberAvailabilityQueryOptions(client, ""))).rejects.toThrow(
      InvalidArgumentError,
    );
    expect(sent).toEqual([]);
  });
});

describe("a key", () => {
  const { client } = clientOf([], { accountId: "acc-1" });
  const scope = { baseUrl: "https://api.example.com", accountId: "acc-1" };

  it("names the API, the account, the operation and its parameters", () => {
    expect(listCallsQueryOptions(client, { limit: 5 }).queryKey).toEqual([
      "call-transfer",
      scope,
      "listCalls",
      { query: { limit: 5 } },
    ]);
    expect(getMemberAvailabilityQueryOptions(client, "m-1").queryKey[3]).toEqual({ memberId: "m-1" });
    expect(listRolesQueryOptions(client).queryKey).toEqual(["call-transfer", scope, "listRoles", {}]);
    expect(createCallMutationOptions(client).mutationKey).toEqual(["call-transfer", scope, "createCall"]);
  });

  it("holds no credential", () => {
    const { queryKey } = listRolesQueryOptions(clientOf([]).client, { headers: { "x-token": apiKey } });
    expect(hashKey(queryKey)).not.toContain(apiKey);
  });

  it("names the account of the request before that of the client", () => {
    const other = { accountId: "acc-2" };
    expect(listRolesQueryOptions(client, other).queryKey[1].accountId).toBe("acc-2");
    expect(listCallsInfiniteQueryOptions(client, {}, other).queryKey[1].accountId).toBe("acc-2");
    expect(createCallMutationOptions(client, other).mutationKey[1].accountId).toBe("acc-2");
    expect(listRolesQueryOptions(client, { accountId: undefined }).queryKey[1].accountId).toBe("acc-1");
  });

  it("names the extra parameters of the query, which also decide the response", () => {
    const extraQuery = { limit: 5, sort: "duration", direction: undefined };
    expect(listCallsQueryOptions(client, { limit: 2 }, { extraQuery }).queryKey[3]).toStrictEqual({
      query: { limit: 2, sort: "duration" },
    });
    expect(listCallsInfiniteQueryOptions(client, {}, { extraQuery }).queryKey[4]).toStrictEqual({
      query: { limit: 5, sort: "duration" },
    });
    expect(listRolesQueryOptions(client, { extraQuery: { sort: "name" } }).queryKey[3]).toStrictEqual({
      query: { sort: "name" },
    });
  });

  it.each([
    ["of a client", () => queryKeyPrefix(client), ["listCalls 1", "listCalls 2", "listRoles"]],
    ["of an operation", () => queryKeyPrefix(client, "listCalls"), ["listCalls 1", "listCalls 2"]],
    [
      "of an operation in another account",
      () => queryKeyPrefix(client, "listRoles", { accountId: "acc-2" }),
      ["other"],
    ],
    [
      "of an operation in every account, for a client without one",
      () => queryKeyPrefix(clientOf([]).client, "listRoles"),
      ["listRoles", "other"],
    ],
    ["of one query", () => listCallsQueryOptions(client, { limit: 1 }).queryKey, ["listCalls 1"]],
  ])("invalidates all queries %s", async (_, queryKey, names) => {
    const queries = {
      "listCalls 1": listCallsQueryOptions(client, { limit: 1 }).queryKey,
      "listCalls 2": listCallsInfiniteQueryOptions(client, { limit: 2 }).queryKey,
      listRoles: listRolesQueryOptions(client).queryKey,
      other: listRolesQueryOptions(client, { accountId: "acc-2" }).queryKey,
      elsewhere: listRolesQueryOptions(clientOf([], { baseUrl: "https://other.example.com" }).client).queryKey,
    };
    for (const key of Object.values(queries)) queryClient.setQueryData<unknown>([...key], {});
    await queryClient.invalidateQueries({ queryKey: queryKey() });
    const invalid = Object.entries(queries).filter(([, key]) => queryClient.getQueryState([...key])?.isInvalidated);
    expect(invalid.map(([name]) => name)).toEqual(names);
  });
});

describe("an infinite query", () => {
  /** Reads a list to its end, and returns the offsets of its requests and the ids of its items. */
  async function readAll(script: Step[], query?: Parameters<typeof listCallsInfiniteQueryOptions>[1]) {
    const { client, sent } = clientOf(script);
    const observer = new InfiniteQueryObserver(queryClient, listCallsInfiniteQueryOptions(client, query));
    let result = await observer.fetchNextPage();
    while (result.hasNextPage) result = await observer.fetchNextPage();
    return {
      requests: sent.map(({ url }) => new URL(url).search),
      ids: result.data?.pages.flatMap(({ calls }) => (calls ?? []).map(({ id }) => Number(id))),
    };
  }

  it("reads page by page up to the total", async () => {
    expect(await readAll([page(5, 0, 2), page(5, 2, 4), page(5, 4, 5)], { limit: 2 })).toEqual({
      requests: ["?limit=2&offset=0", "?limit=2&offset=2", "?limit=2&offset=4"],
      ids: [0, 1, 2, 3, 4],
    });
  });

  it("starts at the given offset", async () => {
    expect(await readAll([page(5, 3, 5)], { offset: 3 })).toEqual({ requests: ["?offset=3"], ids: [3, 4] });
  });

  it("is over after one empty page if the list is empty", async () => {
    expect((await readAll([page(0, 0, 0)])).requests).toHaveLength(1);
  });

  it("goes back when the list shrinks, and so loses no item", async () => {
    // 0 and 1 are removed after the first page: 4 and 5 move onto it.
    const { requests, ids } = await readAll([page(8, 0, 4), page(6, 6, 8), page(6, 4, 8)], { limit: 4 });
    expect(requests).toEqual(["?limit=4&offset=0", "?limit=4&offset=4", "?limit=4&offset=2"]);
    expect(new Set(ids)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
  });

  it("is over after an empty page, whatever the total promises", async () => {
    expect((await readAll([page(9, 0, 2), page(9, 0, 0)])).requests).toHaveLength(2);
  });

  it("reads on without a total until a page is empty", async () => {
    const bare = (count: number) => json(200, { calls: Array.from({ length: count }, (_, index) => call(index)) });
    expect((await readAll([bare(2), bare(2), bare(0)])).requests).toEqual(["?offset=0", "?offset=2", "?offset=4"]);
  });

  it("reads as many pages again as it has, each from where the new one before it ends", async () => {
    const { client, sent } = clientOf([page(4, 0, 2), page(4, 2, 4), page(5, 0, 3), page(5, 3, 5)]);
    const options = listCallsInfiniteQueryOptions(client);
    await queryClient.fetchInfiniteQuery({ ...options, pages: 2 });
    await queryClient.refetchQueries({ queryKey: options.queryKey });
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(["?offset=0", "?offset=2", "?offset=0", "?offset=3"]);
    expect(queryClient.getQueryData(options.queryKey)?.pageParams).toEqual([0, 3]);
  });
});

describe("a mutation", () => {
  const mutate = <Variables, Data>(
    options: ConstructorParameters<typeof MutationObserver<Data, CallTransferError, Variables>>[1],
    variables: Variables,
  ): Promise<Data> => new MutationObserver(queryClient, options).mutate(variables);

  it("takes the operation's parameters by name", async () => {
    const { client, sent } = clientOf([
      json(202, { type: "queued", position: 1 }),
      new Response(null, { status: 204 }),
    ]);
    expect(await mutate(createCallMutationOptions(client), { body })).toEqual({ type: "queued", position: 1 });
    expect(await mutate(deleteMemberHoursMutationOptions(client), { memberId: "m-1" })).toBeUndefined();
    expect(sent.map(({ init, url }) => `${init.method} ${new URL(url).pathname}`)).toEqual([
      "POST /api/v1/calls",
      "DELETE /api/v1/transfers/members/m-1/hours",
    ]);
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual(body);
  });

  it("is sent once, whatever the defaults are", async () => {
    queryClient.setDefaultOptions({ mutations: { retry: 3, retryDelay: 0, networkMode: "online" } });
    const { client, sent } = clientOf([networkError("ECONNRESET"), json(201, { type: "initiated", callId: "c" })]);
    await expect(mutate(createCallMutationOptions(client), { body })).rejects.toThrow(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
  });

  it("is neither paused offline nor sent later, whatever the defaults are", async () => {
    const { client, sent } = clientOf([networkError("ENOTFOUND"), json(201, { type: "initiated", callId: "c" })]);
    const options = createCallMutationOptions(client, { maxRetries: 0 });
    queryClient.setDefaultOptions({ mutations: { retry: 3, retryDelay: 0, networkMode: "online" } });
    queryClient.setMutationDefaults(options.mutationKey, { retry: 3, networkMode: "offlineFirst" });
    onlineManager.setOnline(false);
    const placed = mutate(options, { body }).catch((error: unknown) => error);
    await expect.poll(() => sent).toHaveLength(1);
    expect(await placed).toMatchObject({ outcome: "not_sent" });
    onlineManager.setOnline(true);
    await queryClient.resumePausedMutations();
    expect(sent).toHaveLength(1);
  });

  it("does not stand among the mutations that are stored offline and resumed after a restart", async () => {
    const { client, sent } = clientOf([hangs]);
    const caller = new AbortController();
    const options = createCallMutationOptions(client, { signal: caller.signal });
    onlineManager.setOnline(false);
    const placed = mutate(options, { body });
    await expect.poll(() => sent).toHaveLength(1);
    const stored = dehydrate(queryClient);
    caller.abort();
    await expect(placed).rejects.toThrow(OutcomeUnknownError);
    onlineManager.setOnline(true);
    const restarted = new QueryClient();
    restarted.setMutationDefaults(options.mutationKey, options);
    hydrate(restarted, stored);
    await restarted.resumePausedMutations();
    expect(stored.mutations).toEqual([]);
    expect(sent).toHaveLength(1);
  });
});

describe("types", () => {
  const { client } = clientOf([]);

  it("of data and key follow from the options", () => {
    const query = listCallsQueryOptions(client);
    const infinite = listCallsInfiniteQueryOptions(client);
    expectTypeOf(() => queryClient.fetchQuery(query)).returns.resolves.toEqualTypeOf<CallList>();
    expectTypeOf(() => queryClient.query(query)).returns.resolves.toEqualTypeOf<CallList>();
    expectTypeOf(() => queryClient.ensureQueryData(query)).returns.resolves.toEqualTypeOf<CallList>();
    expectTypeOf(() => queryClient.fetchInfiniteQuery(infinite)).returns.resolves.toEqualTypeOf<
      InfiniteData<CallList, number>
    >();
    expectTypeOf(() => queryClient.infiniteQuery(infinite)).returns.resolves.toEqualTypeOf<
      InfiniteData<CallList, number>
    >();
    expectTypeOf(queryClient.getQueryData(query.queryKey)).toEqualTypeOf<CallList | undefined>();
    expectTypeOf(queryClient.getQueryData(infinite.queryKey)).toEqualTypeOf<
      InfiniteData<CallList, number> | undefined
    >();
    expectTypeOf(queryClient.getQueryState(query.queryKey)?.error).toEqualTypeOf<
      CallTransferError | null | undefined
    >();
  });

  it("of a selection and of errors follow from the options", () => {
    const observer = new QueryObserver(queryClient, {
      ...listCallsQueryOptions(client),
      select: ({ meta }) => meta.total,
    });
    expectTypeOf(observer.getCurrentResult().data).toEqualTypeOf<number | undefined>();
    expectTypeOf(observer.getCurrentResult().error).toEqualTypeOf<CallTransferError | null>();
    const infinite = new InfiniteQueryObserver(queryClient, listCallsInfiniteQueryOptions(client));
    expectTypeOf(infinite.getCurrentResult().error).toEqualTypeOf<CallTransferError | null>();
    expectTypeOf(infinite.getCurrentResult().data?.pages).toEqualTypeOf<CallList[] | undefined>();
  });

  it("of a mutation's variables, data and error follow from the options", () => {
    const observer = new MutationObserver(queryClient, createCallMutationOptions(client));
    expectTypeOf(observer.getCurrentResult().data).toEqualTypeOf<
      CallInitiated | CallQueued | UnknownResult | undefined
    >();
    expectTypeOf(observer.getCurrentResult().error).toEqualTypeOf<CallTransferError | null>();
    expectTypeOf(observer.mutate).parameter(0).toExtend<{ body: { flowId: string } }>();
    // @ts-expect-error a placement has a body
    const wrong = () => observer.mutate({ flowId: "flow" });
    expect(wrong).toBeTypeOf("function");
  });
});
