import { type CallTransferFixtures, callTransferFixtures, demo } from "@call-transfer/mock-server/vitest";
import { CallTransfer } from "@call-transfer/sdk";
import { createWebhookHandler } from "@call-transfer/sdk/webhooks";
import { test as base, describe, expect } from "vitest";

const test = base.extend<CallTransferFixtures>(callTransferFixtures);

test.concurrent("reading is retried while the service is unavailable", async ({ callTransfer }) => {
  const { baseUrl, apiKey, clock, faults, requests } = callTransfer;
  // With this clock, the client waits for nothing before a retry.
  const client = new CallTransfer({ baseUrl, apiKey, clock });
  faults.add("listRoles service_unavailable 2 times");

  await client.roles.list();

  expect(requests.list().map(({ status }) => status)).toEqual([503, 503, 200]);
});

test.concurrent("a member is available again after an hour", async ({ callTransfer }) => {
  const { baseUrl, clock, createAccessToken } = callTransfer;
  const client = new CallTransfer({ baseUrl, ...(await createAccessToken("admin")) });
  expect(await client.members.getAvailability(demo.members.member)).toMatchObject({ status: "away" });

  await clock.advance({ by: 60 * 60 * 1000 });

  expect(await client.members.getAvailability(demo.members.member)).toMatchObject({ status: "available" });
});

test.concurrent("the front desk app gets the call that it accepts", async ({ callTransfer }) => {
  const { clock, forwardWebhooksTo, backend } = callTransfer;
  const offers: string[] = [];
  const secret = demo.signingSecret;
  forwardWebhooksTo(createWebhookHandler({ secret, clock, onEvent: ({ type }) => void offers.push(type) }));

  const { id } = backend.transfers.start({ destinationId: demo.destinations.app });
  await clock.advance({ by: 1000 });

  expect(offers).toEqual(["transfer.offer"]);
  expect(backend.transfers.get(id)?.status).toBe("connected");
});

describe("when the day's calls are used up", () => {
  test.override({ callTransferOptions: { policies: { dailyCallLimit: 0 } } });

  test.concurrent("placing a call fails", async ({ callTransfer }) => {
    const { baseUrl, apiKey } = callTransfer;
    const client = new CallTransfer({ baseUrl, apiKey });
    const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };

    await expect(client.calls.create(call)).rejects.toMatchObject({ code: "daily_call_limit_exceeded" });
  });
});
