import { type CallTransferFixtures, callTransferFixtures, demo } from "@call-transfer/mock-server/vitest";
import { CallTransfer, OutcomeUnknownError } from "@call-transfer/sdk";
import { createWebhookHandler } from "@call-transfer/sdk/webhooks";
import { test as base, describe, expect } from "vitest";

const test = base.extend<CallTransferFixtures>(callTransferFixtures);
const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };

describe("at the limit of concurrent calls", () => {
  test.override({ callTransferOptions: { policies: { concurrentCallLimit: 1 } } });

  test("the second call waits in the queue", async ({ callTransfer }) => {
    const { baseUrl, apiKey, requests } = callTransfer;
    const client = new CallTransfer({ baseUrl, apiKey });
    expect(await client.calls.create(call)).toMatchObject({ type: "initiated" });
    expect(await client.calls.create(call)).toMatchObject({ type: "queued", position: 1 });
    expect(requests.list().map(({ status }) => status)).toEqual([201, 202]);
  });
});

test("a call whose answer is lost is found, and not placed again", async ({ callTransfer }) => {
  const { baseUrl, apiKey, faults } = callTransfer;
  const client = new CallTransfer({ baseUrl, apiKey });
  faults.add("createCall process_then_reset");

  const { error } = await client.calls.create(call).result();

  if (!(error instanceof OutcomeUnknownError)) throw error;
  const { candidates, complete } = await error.reconcile();
  expect({ calls: candidates.length, complete }).toEqual({ calls: 1, complete: true });
});

test("a rate limit is waited for, as long as the platform asks", async ({ callTransfer }) => {
  const { baseUrl, apiKey, clock, faults } = callTransfer;
  const client = new CallTransfer({ baseUrl, apiKey, clock });
  faults.add("listRoles rateLimit 20s 2 times");
  const start = clock.now();

  await client.roles.list();

  expect(clock.now() - start).toBeGreaterThanOrEqual(40_000);
});

test("a copy of an offer is answered, but not handled again", async ({ callTransfer }) => {
  const { clock, forwardWebhooksTo, deliveries } = callTransfer;
  const handled: string[] = [];
  const secret = demo.signingSecret;
  forwardWebhooksTo(createWebhookHandler({ secret, clock, onEvent: ({ type }) => void handled.push(type) }));

  const offer = await deliveries.trigger({ destinationId: demo.destinations.app });
  const copy = await deliveries.redeliver(offer.id);

  expect([offer.accepted, copy.accepted]).toEqual([true, true]);
  expect(handled).toEqual(["transfer.offer"]);
});

test("who is away or outside of their hours does not ring", async ({ callTransfer }) => {
  const { baseUrl, apiKey, backend } = callTransfer;
  const client = new CallTransfer({ baseUrl, apiKey });
  const { owner, admin } = demo.members;
  backend.applyScenario("all-members-away");
  // The platform's clock stands at noon on a Monday.
  const hours = { timeZone: "UTC", monday: [{ from: "08:00", to: "09:00" }] };
  for (const id of [owner, admin])
    backend.collections.update("members", id, { availability: { status: "available" }, hours });
  await client.members.deleteHours(admin);

  const { rings } = backend.transfers.start({ destinationId: demo.destinations.availableHumans });

  expect(rings.filter(({ outcome }) => outcome === "ringing").map(({ memberId }) => memberId)).toEqual([admin]);
});

test("an expired token is renewed", async ({ callTransfer }) => {
  const { baseUrl, accountId, clock, backend, requests } = callTransfer;
  const issue = () => backend.credentials.createAccessToken({ userId: demo.users.admin, expiresInSecs: 60 });
  let token = await issue();
  const accessToken = async ({ forceRefresh }: { forceRefresh: boolean }) => {
    if (forceRefresh) token = await issue();
    return token;
  };
  const client = new CallTransfer({ baseUrl, accountId, accessToken });
  await clock.advance({ by: 61_000 });

  await client.roles.list();

  expect(requests.list().map(({ status, code }) => code ?? status)).toEqual(["token_expired", 200]);
});

test("every page is read", async ({ callTransfer }) => {
  const { baseUrl, apiKey, accountId, backend, requests } = callTransfer;
  const client = new CallTransfer({ baseUrl, apiKey });
  const ids = Array.from({ length: 25 }, () => crypto.randomUUID());
  const past = {
    accountId,
    direction: "outbound",
    duration: 60,
    status: "completed",
    createdAt: "2026-03-01T10:00:00Z",
  };
  backend.seed({ calls: ids.map((id) => ({ id, ...past })) });

  const calls = await client.calls.list({ limit: 10 }).toArray({ maxItems: 100 });

  // The demo has three calls more.
  expect(calls.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  expect(requests.count).toBe(3);
});
