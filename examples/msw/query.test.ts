import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { callTransferHandlers } from "@call-transfer/mock-server/msw";
import { CallTransfer, isApiError, OutcomeUnknownError } from "@call-transfer/sdk";
import { createCallMutationOptions, listCallsQueryOptions, queryKeyPrefix } from "@call-transfer/sdk/query";
import { MutationObserver, onlineManager, QueryClient } from "@tanstack/query-core";
import { http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

const baseUrl = "https://api.example.com";
// Both majors of MSW let a request without a handler out to the network, where a placement rings a phone. This refuses it.
const refuseOthers = http.all("*", ({ request }) => {
  console.error(`${request.method} ${request.url} has no handler.`);
  return Response.error();
});
const server = setupServer(refuseOthers);
beforeAll(() => server.listen());
afterEach(() => {
  server.resetHandlers();
  onlineManager.setOnline(true);
});
afterAll(() => server.close());

/** What the app of an agent does, with a platform of its own. */
async function openApp() {
  const backend = createBackend();
  server.use(...callTransferHandlers({ http, backend, baseUrl }));
  const accessToken = await backend.credentials.createAccessToken({ userId: demo.users.agent });
  const client = new CallTransfer({ baseUrl, accessToken, accountId: demo.accountId });
  const queryClient = new QueryClient();
  const placement = new MutationObserver(queryClient, {
    ...createCallMutationOptions(client),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeyPrefix(client, "listCalls") }),
  });
  return {
    backend,
    total: async () => (await queryClient.query(listCallsQueryOptions(client))).meta.total,
    place: (toNumber: string) =>
      placement.mutate({ body: { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber } }),
  };
}

it("lists the call that was placed", async () => {
  const { total, place } = await openApp();
  const before = await total();
  expect((await place(demo.recipients.anyone)).type).toBe("initiated");
  expect(await total()).toBe(before + 1);
});

it("shows why a number may not be called", async () => {
  const { place } = await openApp();
  await expect(place(demo.recipients.doNotCall)).rejects.toSatisfy((error) => isApiError(error, "contact_on_dnc_list"));
});

it("places one call when the answer is lost", async () => {
  const { backend, place } = await openApp();
  const before = backend.state.calls.size;
  backend.faults.add({ do: "process_then_reset" });
  await expect(place(demo.recipients.anyone)).rejects.toBeInstanceOf(OutcomeUnknownError);
  expect(backend.state.calls.size).toBe(before + 1);
});

it("places a call at once or not at all, although the browser says that it is offline", async () => {
  const { place } = await openApp();
  onlineManager.setOnline(false);
  expect((await place(demo.recipients.anyone)).type).toBe("initiated");
});
