import { zErrorResponse } from "@call-transfer/spec/schemas";
import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../src/backend.ts";
import { demo } from "../src/data/demo-seed.ts";
import { codeOf, overlapEnd, overlapMs, send } from "./test-client.ts";

const { destinations, flows, members, numbers, providers, recipients } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };

function place(backend: Backend, change: object = {}) {
  return send(backend, "POST /calls", { body: { ...call, ...change } });
}

function list(backend: Backend, query = "") {
  return send(backend, `GET /calls${query}`);
}

describe("placing a call", () => {
  const states = { working: {}, inactive: { active: false }, rejecting: { rejects: true } };
  const named = { none: undefined, own: providers.working, another: providers.rejecting, unknown: "nothing" };
  it.each(
    Object.keys(states).flatMap((state) =>
      ["own", "none"].flatMap((owner) => Object.keys(named).map((provider) => [state, owner, provider] as const)),
    ),
  )("with a provider that is %s, from a number with the provider %s, naming %s", async (state, owner, provider) => {
    const backend = createBackend();
    backend.collections.update("providers", providers.working, states[state as keyof typeof states]);
    const number = "+15550100099";
    const ofOwner = owner === "own" ? { providerId: providers.working } : {};
    backend.collections.create("numbers", { accountId: demo.accountId, number, ...ofOwner });
    const providerId = named[provider as keyof typeof named];
    const answer = await place(backend, { fromNumber: number, ...(providerId !== undefined && { providerId }) });
    const isItsOwn = provider === "none" || provider === owner;
    const isWilling = owner === "none" || state === "working";
    expect(codeOf(answer)).toBe(isItsOwn && isWilling ? undefined : "provider_call_rejected");
  });

  it("says that a number belongs to another provider", async () => {
    const answer = await place(createBackend(), { providerId: providers.rejecting });
    expect(answer.body).toMatchObject({ detail: "The number does not belong to this provider." });
  });

  it("is placed in the time zone of the account, which comes before that of the policy", async () => {
    const backend = createBackend({ now: "2026-03-02T03:00:00Z", policies: { defaultRecipientTimeZone: "UTC" } });
    backend.collections.update("accounts", demo.accountId, { timeZone: "Asia/Tokyo" });
    expect((await place(backend)).status).toBe(201);
  });

  it("refuses a policy with an unknown time zone, and says which values it may have", () => {
    const change = () => createBackend().updatePolicies({ defaultRecipientTimeZone: "Mars/Base" });
    expect(change).toThrow("defaultRecipientTimeZone: must be an IANA time zone, such as Europe/Berlin, or unknown");
  });
});

describe("the limits of an account", () => {
  it.each([[[0, 10, 25]], [[25, 0, 10]], [[10, 25, 0]], [[55, 59, 57]]])(
    "gives a full queue the wait until the next call ends, of calls begun %j seconds ago",
    async (secsAgo) => {
      const calls = secsAgo.map((secs, index) => ({
        ...{ id: `ca000000-0000-4000-8000-00000000010${index}`, accountId: demo.accountId, direction: "outbound" },
        ...{ duration: 0, status: "in_progress", createdAt: `-${secs}s` },
      }));
      const policies = { concurrentCallLimit: 3, callQueueLimit: 0 };
      const backend = createBackend({ seed: { ...seedOf(), calls }, policies });
      const wait = 60 - Math.max(...secsAgo);
      const full = { code: "queue_full", meta: { retryAfterSecs: wait } };
      expect((await place(backend)).body).toMatchObject(full);
      await backend.clock.advance({ by: wait * 1000 - 1 });
      expect(codeOf(await place(backend))).toBe("queue_full");
      await backend.clock.advance({ by: 1 });
      expect((await place(backend)).status).toBe(201);
    },
  );

  it("gives a full queue that nothing leaves the length of a call as the wait", async () => {
    const policies = { concurrentCallLimit: 0, callQueueLimit: 0, callDurationSecs: 90 };
    const answer = await place(createBackend({ policies }));
    expect(answer.body).toMatchObject({ code: "queue_full", meta: { retryAfterSecs: 90 } });
  });

  it("starts a waiting call first when the limit is raised", async () => {
    const backend = createBackend({ policies: { concurrentCallLimit: 0 } });
    expect((await place(backend)).status).toBe(202);
    backend.updatePolicies({ concurrentCallLimit: 2 });
    expect((await place(backend)).status).toBe(201);
    expect([...backend.state.calls.values()].filter(({ status }) => status === "in_progress")).toHaveLength(2);
  });
});

describe("listing calls", () => {
  it("may lag and may leave out queued calls, by policy", async () => {
    const backend = createBackend({
      policies: { callListDelaySecs: 5, includeQueuedCalls: false, concurrentCallLimit: 1 },
    });
    await place(backend);
    await place(backend);
    expect((await list(backend)).body).toMatchObject({ meta: { total: 3 } });
    await backend.clock.advance({ by: 4999 });
    expect((await list(backend)).body).toMatchObject({ meta: { total: 3 } });
    await backend.clock.advance({ by: 1 });
    expect((await list(backend)).body).toMatchObject({ meta: { total: 4 } });
  });

  it("shows calls of a later time than the clock's, unless the list lags", async () => {
    const backend = createBackend({ seed: seedOf() });
    const id = "11111111-1111-4111-8111-111111111111";
    const later = { id, accountId: demo.accountId, direction: "inbound", duration: 5, status: "completed" };
    backend.seed({ calls: [{ ...later, createdAt: new Date(backend.clock.now() + 1).toISOString() }] });
    expect((await list(backend)).body).toMatchObject({ meta: { total: 1 } });
    backend.updatePolicies({ callListDelaySecs: 1 });
    expect((await list(backend)).body).toMatchObject({ meta: { total: 0 } });
  });
});

function seedOf() {
  return {
    accounts: [{ id: demo.accountId, name: "Main" }],
    flows: [{ id: flows.published, accountId: demo.accountId, published: true }],
    numbers: [{ accountId: demo.accountId, number: numbers.working }],
    apiKeys: [{ accountId: demo.accountId, key: demo.apiKey }],
  };
}

function rotate(id: string): string {
  return `POST /transfers/destinations/${id}/rotate-secret`;
}

describe("rotating a secret", () => {
  it("is refused within the overlap if the policy says so, and keeps both secrets", async () => {
    const backend = createBackend({ policies: { secondRotation: "reject" } });
    expect((await send(backend, rotate(destinations.app))).status).toBe(200);
    const before = structuredClone(backend.state.destinations.get(destinations.app));
    await backend.clock.advance({ by: overlapMs - 1 });
    const { status, body } = await send(backend, rotate(destinations.app));
    expect([status, zErrorResponse.safeParse(body).error]).toEqual([409, undefined]);
    expect(body).toMatchObject({ code: "conflict", detail: expect.stringContaining(overlapEnd) });
    expect(JSON.stringify(body)).not.toContain(before?.signingSecret);
    expect(backend.state.destinations.get(destinations.app)).toEqual(before);
    await backend.clock.advance({ by: 1 });
    expect((await send(backend, rotate(destinations.app))).status).toBe(200);
  });

  it("checks owner and kind before the overlap", async () => {
    const backend = createBackend({ policies: { secondRotation: "reject" } });
    await send(backend, rotate(destinations.app));
    expect((await send(backend, rotate(destinations.phone))).status).toBe(400);
    expect((await send(backend, rotate(destinations.app), { token: null })).status).toBe(401);
  });
});

const groups = "POST /transfers/destination-groups";
const ringing = [{ destinationId: destinations.app }];

it("says what is wrong with a destination of a group", async () => {
  const named = [...ringing, { destinationId: destinations.foreign }, ...ringing];
  const answer = await send(createBackend(), groups, { body: { name: "A", members: named } });
  expect(answer.body).toMatchObject({
    errors: [{ message: "must be the id of a destination of this account" }, { message: "is in the list already" }],
  });
});

describe("reading availability", () => {
  const availability = (id: string) => `GET /transfers/members/${id}/availability`;

  it("shows who made a member available, and neither a reason nor an end", async () => {
    const backend = createBackend();
    backend.collections.update("members", members.agent, {
      availability: { status: "available", source: "member", reason: "lunch", updatedAt: "2026-03-02T11:00:00Z" },
    });
    expect((await send(backend, availability(members.agent))).body).toMatchObject({
      status: "available",
      source: "member",
      reason: null,
      until: null,
      updatedAt: null,
    });
  });
});
