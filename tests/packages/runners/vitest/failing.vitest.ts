// The tests named "fails" must fail, and their output is checked. The others must pass.
import { demo } from "@call-transfer/backend";
import { type CallTransferFixtures, callTransferFixtures } from "@call-transfer/mock-server/vitest";
import { test as base, expect } from "vitest";

// Far from where it is used: the runners print the lines around a failure.
const secret = "hidden-text";
const test = base.extend<CallTransferFixtures>(callTransferFixtures);

test("fails after a request and a webhook", async ({ callTransfer }) => {
  const { baseUrl, apiKey, deliveries, forwardWebhooksTo } = callTransfer;
  await fetch(`${baseUrl}/api/v1/calls`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ fromNumber: demo.numbers.working, password: secret }),
  });
  forwardWebhooksTo(() => new Response(null, { status: 503 }));
  await deliveries.trigger({ destinationId: demo.destinations.app, token: secret });
  expect(deliveries.list()[0]?.accepted).toBe(true);
});

test("does not wait for what it started", ({ callTransfer }) => {
  const { baseUrl, apiKey, backend, clock, forwardWebhooksTo, deliveries, faults } = callTransfer;
  const headers = { authorization: `Bearer ${apiKey}` };
  faults.add({ match: { operationId: "listRoles" }, do: "hang" });
  forwardWebhooksTo(() => new Response());
  void fetch(`${baseUrl}/api/v1/roles`, { headers }).catch(() => {});
  void fetch(`${baseUrl}/api/v1/accounts`, { headers });
  void deliveries.trigger({ destinationId: demo.destinations.app });
  backend.transfers.start({ groupId: demo.groups.existing });
  void clock.advance({ by: 60_000 });
});

test("its neighbour finds nothing of it", async ({ callTransfer }) => {
  const { baseUrl, apiKey, clock, deliveries, faults, requests, backend } = callTransfer;
  const response = await fetch(`${baseUrl}/api/v1/roles`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(response.status).toBe(200);
  expect(requests.list().map(({ operationId }) => operationId)).toEqual(["listRoles"]);
  expect([deliveries.list(), faults.list(), backend.state.transfers.size]).toEqual([[], [], 0]);
  expect(clock.iso()).toBe("2026-03-02T12:00:00.000Z");
});
