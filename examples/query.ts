import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";
import {
  createCallMutationOptions,
  listCallsInfiniteQueryOptions,
  listCallsQueryOptions,
  queryKeyPrefix,
} from "@call-transfer/sdk/query";
import { MutationObserver, QueryClient } from "@tanstack/query-core";

const { accountId, users, flows, numbers, recipients } = demo;
const { fetch, credentials } = createBackend();
const accessToken = await credentials.createAccessToken({
  userId: users.agent,
});
const client = new CallTransfer({
  baseUrl: "http://localhost",
  accessToken,
  accountId,
  fetch,
});
const queryClient = new QueryClient();

// In a component: useQuery(listCallsQueryOptions(client, { limit: 2 }))
const calls = listCallsQueryOptions(client, { limit: 2 });
const { meta } = await queryClient.query({ ...calls, staleTime: 60_000 });
console.log(`calls: ${meta.total}`);

// In a component: useMutation({ ...createCallMutationOptions(client), … })
const placement = new MutationObserver(queryClient, {
  ...createCallMutationOptions(client),
  onSuccess: () =>
    queryClient.invalidateQueries({
      queryKey: queryKeyPrefix(client, "listCalls"),
    }),
});
const body = {
  flowId: flows.published,
  fromNumber: numbers.working,
  toNumber: recipients.anyone,
};
console.log(`placed: ${(await placement.mutate({ body })).type}`);
console.log(
  `calls in the cache: ${queryClient.getQueryData(calls.queryKey)?.meta.total}`,
);
console.log(
  `calls: ${(await queryClient.query({ ...calls, staleTime: 60_000 })).meta.total}`,
);

// In a component, with fetchNextPage:
//   useInfiniteQuery(listCallsInfiniteQueryOptions(client, { limit: 2 }))
const { pages } = await queryClient.infiniteQuery({
  ...listCallsInfiniteQueryOptions(client, { limit: 2 }),
  pages: 9,
});
// The list may change between two pages, so a call may be on both.
const byId = new Map(
  pages.flatMap((page) => page.calls).map((call) => [call.id, call]),
);
console.log(`pages: ${pages.length}, calls: ${byId.size}`);
