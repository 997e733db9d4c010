import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { callTransferHandlers } from "@call-transfer/mock-server/msw";
import { CallTransfer } from "@call-transfer/sdk";
import { http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

const baseUrl = "https://api.example.com";
const client = new CallTransfer({ baseUrl, apiKey: demo.apiKey });
// Both majors of MSW let a request without a handler out to the network, where a placement rings a phone. This refuses it.
const refuseOthers = http.all("*", ({ request }) => {
  console.error(`${request.method} ${request.url} has no handler.`);
  return Response.error();
});
const server = setupServer(refuseOthers);
beforeAll(() => server.listen());
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

/** Creates a platform for one test; the next test gets a new one. */
function platform() {
  const backend = createBackend();
  server.use(...callTransferHandlers({ http, backend, baseUrl }));
  return backend;
}

it("a member is away until the hour is over", async () => {
  const backend = platform();
  expect((await client.members.getAvailability(demo.members.member)).status).toBe("away");
  await backend.advance({ by: 60 * 60 * 1000 });
  expect((await client.members.getAvailability(demo.members.member)).status).toBe("available");
});

it("a refusal reaches the caller with its code", async () => {
  platform().faults.add({ match: { operationId: "getMemberAvailability" }, do: { code: "forbidden" } });
  await expect(client.members.getAvailability(demo.members.member)).rejects.toMatchObject({ code: "forbidden" });
});
