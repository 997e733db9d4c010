// Shows a call in the list before the API has answered. In a clone:
//   npm run example -- examples/optimistic.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer, OutcomeUnknownError } from "@call-transfer/sdk";
import {
  createCallMutationOptions,
  listCallsQueryOptions,
  queryKeyPrefix,
} from "@call-transfer/sdk/query";
import { MutationObserver, QueryClient } from "@tanstack/query-core";

const backend = createBackend();
const client = new CallTransfer({
  baseUrl: "http://localhost",
  fetch: backend.fetch,
  accountId: demo.accountId,
  accessToken: await backend.credentials.createAccessToken({
    userId: demo.users.agent,
  }),
});
const queryClient = new QueryClient();
const calls = listCallsQueryOptions(client);
await queryClient.query(calls);
const show = (when: string) =>
  console.log(
    `${when}: ${queryClient.getQueryData(calls.queryKey)?.calls.length} calls`,
  );

// In a component: useMutation({ … })
const placement = new MutationObserver(queryClient, {
  ...createCallMutationOptions(client),
  async onMutate() {
    await queryClient.cancelQueries({
      queryKey: queryKeyPrefix(client, "listCalls"),
    });
    const before = queryClient.getQueryData(calls.queryKey);
    const pending = {
      id: "pending",
      direction: "outbound",
      duration: 0,
    } as const;
    queryClient.setQueryData(
      calls.queryKey,
      (list) => list && { ...list, calls: [pending, ...list.calls] },
    );
    show("shown at once");
    return { before };
  },
  onError(error, _variables, context) {
    // The phone may be ringing, so the call stays until the list is read again.
    if (error instanceof OutcomeUnknownError)
      return console.log("perhaps placed: do not offer to try again");
    queryClient.setQueryData(calls.queryKey, context?.before);
    show(`taken back after ${"code" in error ? error.code : error.name}`);
  },
  onSettled: () =>
    queryClient.invalidateQueries({
      queryKey: queryKeyPrefix(client, "listCalls"),
    }),
});

const { flows, numbers, recipients } = demo;
const dial = async (toNumber: string) => {
  await placement
    .mutate({
      body: { flowId: flows.published, fromNumber: numbers.working, toNumber },
    })
    .catch(() => {});
  await queryClient.query(calls);
  show("read again");
};
show("at first");
await dial(recipients.anyone);
await dial(recipients.doNotCall);
backend.faults.add({
  match: { operationId: "createCall" },
  do: "process_then_reset",
});
await dial(recipients.anyone);
