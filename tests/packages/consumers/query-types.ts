// Uses the types of the SDK's options for TanStack Query. Compiled like sdk-types.ts, never run. TypeScript 5.4 would take
// TanStack's other format for `import … = require(…)`, so its import names what it needs.
import * as sdk from "@call-transfer/sdk";
import * as query from "@call-transfer/sdk/query";
import { MutationObserver, QueryClient, QueryObserver } from "@tanstack/query-core";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

const client = new sdk.CallTransferCore({ baseUrl: "https://api.example.com", apiKey: "key" });
const queryClient = new QueryClient();

/** Data and errors of queries. */
export async function read(): Promise<unknown> {
  const calls = query.listCallsQueryOptions(client, { limit: 10 }, { accountId: "account" });
  const page = await queryClient.fetchQuery(calls);
  same<typeof page, sdk.CallList>(true);
  const cached = queryClient.getQueryData(calls.queryKey);
  same<typeof cached, sdk.CallList | undefined>(true);
  const infinite = query.listCallsInfiniteQueryOptions(client);
  const { pages, pageParams } = await queryClient.fetchInfiniteQuery(infinite);
  same<typeof pages, sdk.CallList[]>(true);
  same<typeof pageParams, number[]>(true);
  const selected = new QueryObserver(queryClient, {
    ...query.listRolesQueryOptions(client),
    select: ({ roles }) => roles.length,
  }).getCurrentResult();
  same<typeof selected.data, number | undefined>(true);
  same<typeof selected.error, sdk.CallTransferError | null>(true);
  const availability: sdk.MemberAvailability = await queryClient.fetchQuery(
    query.getMemberAvailabilityQueryOptions(client, "id"),
  );
  const accounts: sdk.AccountList = await queryClient.fetchQuery(query.listAccountsQueryOptions(client));
  await queryClient.invalidateQueries({ queryKey: query.queryKeyPrefix(client, "listCalls") });
  // @ts-expect-error There is no such operation.
  query.queryKeyPrefix(client, "listNothing");
  return [availability, accounts];
}

/** Variables, data and errors of mutations. */
export async function write(): Promise<unknown> {
  const placement = new MutationObserver(queryClient, {
    ...query.createCallMutationOptions(client),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: query.queryKeyPrefix(client) }),
  });
  same<ReturnType<typeof placement.getCurrentResult>["error"], sdk.CallTransferError | null>(true);
  const placed = await placement.mutate({ body: { flowId: "id", fromNumber: "", toNumber: "" } });
  same<typeof placed, sdk.CallInitiated | sdk.CallQueued | sdk.UnknownResult>(true);
  // @ts-expect-error A placement has a body.
  await placement.mutate({ flowId: "id" });
  return placed;
}
