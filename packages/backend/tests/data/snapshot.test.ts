import { expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { inboxUrl } from "../../src/platform/inbox.ts";
import { send } from "../test-client.ts";

const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
const group = { name: "A", members: [{ destinationId: demo.destinations.app }] };
const fetch = async () => new Response(null, { status: 500 });

/** A backend in the middle of everything. */
async function busy(): Promise<{ backend: Backend; token: string }> {
  const backend = createBackend({ randomSeed: 9, fetch, policies: { concurrentCallLimit: 1, missedCallLimit: 1 } });
  const token = await backend.credentials.createAccessToken({ userId: demo.users.owner });
  await send(backend, "POST /calls", { body: call });
  await send(backend, "POST /calls", { body: call });
  await send(backend, `POST /transfers/destinations/${demo.destinations.app}/rotate-secret`);
  await send(backend, "POST /transfers/destination-groups", { body: group });
  backend.faults.add({
    match: { operationId: "listRoles" },
    when: { nth: 2, times: 3, probability: 0.5 },
    do: { code: "conflict" },
  });
  backend.transfers.start({
    destinationId: demo.destinations.availableHumans,
    script: [{ memberId: demo.members.owner, answerAfterSecs: 20 }],
  });
  backend.transfers.start({ groupId: demo.groups.existing });
  backend.inbox.response = { status: 503 };
  await backend.clock.advance({ by: 7000 });
  return { backend, token };
}

/** What a client sees over two minutes. */
async function story(backend: Backend, token: string): Promise<unknown[]> {
  const seen: unknown[] = [];
  const see = async (target: string, request = {}) => {
    const { status, body, headers } = await send(backend, target, request);
    seen.push([target, status, body, headers.get("x-request-id")]);
  };
  const path = `/transfers/members/${demo.members.owner}/availability`;
  for (let step = 0; step < 8; step += 1) {
    await see("GET /roles");
    await see("GET /calls", { token, headers: { "x-account-id": demo.accountId } });
    await see(`GET ${path}`);
    await see("POST /calls", { body: call });
    await see(`POST /transfers/destinations/${demo.destinations.app}/rotate-secret`);
    seen.push(
      backend.transfers.list().map((transfer) => structuredClone(transfer)),
      backend.upcomingTimers(),
    );
    // Ids of events and real durations belong to one backend.
    seen.push((await backend.advance({ by: 15_000 })).map(({ eventId: _, durationMs: __, ...event }) => event));
  }
  return seen;
}

it("a restored backend continues exactly like the original", async () => {
  const { backend, token } = await busy();
  const snapshot = JSON.parse(JSON.stringify(backend.snapshot()));
  const other = createBackend({ randomSeed: 4, fetch, seed: {}, now: 0 });
  other.restore(snapshot);
  expect(other.snapshot()).toEqual(backend.snapshot());
  expect(await story(other, token)).toEqual(await story(backend, token));
});

it("a snapshot shares nothing with its backend", async () => {
  const { backend } = await busy();
  const snapshot = backend.snapshot();
  const before = JSON.stringify(snapshot);
  await backend.advance({ by: 120_000 });
  expect(JSON.stringify(snapshot)).toBe(before);
  backend.restore(snapshot);
  await backend.advance({ by: 120_000 });
  expect(JSON.stringify(snapshot)).toBe(before);
});

it.each([204, 409])(
  "an unanswered offer is sent again as the same event, and an answer %i to the first is dropped",
  async (status) => {
    const answers: ((response: Response) => void)[] = [];
    const bodies: unknown[] = [];
    const backend = createBackend({
      fetch: (_, init) => {
        bodies.push(init?.body);
        return new Promise((resolve) => void answers.push(resolve));
      },
    });
    const { id } = backend.transfers.start({ destinationId: demo.destinations.app });
    const [deliveryId] = backend.transfers.get(id)?.rings.map((ring) => ring.deliveryId) ?? [];
    backend.restore(backend.snapshot());
    expect(backend.transfers.get(id)?.rings).toMatchObject([{ deliveryId }]);
    answers[0]?.(new Response(null, { status }));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(backend.transfers.list()).toMatchObject([{ id, status: "ringing", answers: [] }]);
    answers[1]?.(new Response());
    await backend.advance({ by: 0 });
    expect(backend.transfers.list()).toMatchObject([{ status: "connected" }]);
    expect([bodies.length, bodies[1], backend.deliveries.list().length]).toEqual([2, bodies[0], 1]);
  },
);

it.each([204, 409])(
  "an answer %i to an offer from before a reset changes nothing, also for a transfer with its id",
  async (status) => {
    const answers: ((response: Response) => void)[] = [];
    const backend = createBackend({ fetch: () => new Promise((resolve) => void answers.push(resolve)) });
    const before = backend.transfers.start({ destinationId: demo.destinations.app });
    backend.reset();
    const { id } = backend.transfers.start({ destinationId: demo.destinations.app });
    expect(id).toBe(before.id);
    answers[0]?.(new Response(null, { status }));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(backend.transfers.list()).toMatchObject([
      { id, status: "ringing", answers: [], rings: [{ lateAnswers: [] }] },
    ]);
    answers[1]?.(new Response());
    await backend.advance({ by: 0 });
    expect(backend.transfers.get(id)?.status).toBe("connected");
  },
);

it("an app that had not answered yet can take the call after a restore", async () => {
  const backend = createBackend();
  backend.collections.update("destinations", demo.destinations.app, { config: { url: inboxUrl } });
  backend.inbox.response = { delaySecs: 5 };
  backend.transfers.start({ destinationId: demo.destinations.app });
  const snapshot = backend.snapshot();
  const statuses: unknown[] = [];
  for (let time = 0; time < 2; time += 1) {
    await backend.advance({ by: 40_000 });
    statuses.push(backend.transfers.list()[0]?.status);
    backend.restore(snapshot);
  }
  expect(statuses).toEqual(["connected", "connected"]);
});

it("an app that declined gets no second offer after a restore", async () => {
  const backend = createBackend({ fetch });
  backend.transfers.start({ groupId: demo.groups.existing });
  await backend.advance({ by: 0 });
  backend.restore(backend.snapshot());
  await backend.advance({ by: 0 });
  expect(backend.deliveries.list()).toEqual([]);
});

const account = { id: demo.accountId, name: "One" };
const end = "9999-06-01T00:00:00Z";

it.each<[string, (snapshot: Record<string, unknown>) => unknown, string]>([
  ["a version from elsewhere", (snapshot) => ({ ...snapshot, version: 2 }), "version"],
  ["a policy that there is not", (snapshot) => ({ ...snapshot, policies: { nope: 1 } }), "policies.nope"],
  ["a record that is none", (snapshot) => ({ ...snapshot, seed: { accounts: [{}] } }), "seed.accounts[0].id"],
  [
    "a timer of no known kind",
    (snapshot) => ({ ...snapshot, timers: [{ at: 0, kind: "x", id: "y" }] }),
    "timers[0].kind",
  ],
  [
    "an inbox that answers what no server does",
    (snapshot) => ({ ...snapshot, inbox: { status: 99_999 } }),
    "inbox.status",
  ],
  [
    "a record of a time that is too late",
    (snapshot) => ({
      ...snapshot,
      seed: { accounts: [account], apiKeys: [{ accountId: account.id, expiresAt: end }] },
    }),
    "seed.apiKeys[0].expiresAt",
  ],
  ["a time that is none", (snapshot) => ({ ...snapshot, now: 1e300 }), "now"],
  [
    "a fault that is none",
    (snapshot) => ({ ...snapshot, faults: { last: 1, waiting: [{ id: "f", do: {} }] } }),
    "faults.waiting[0].do",
  ],
])("a snapshot with %s is refused by its field, and changes nothing", async (_, change, field) => {
  const { backend } = await busy();
  const before = backend.snapshot();
  expect(() => backend.restore(change({ ...before }))).toThrow(`${field}`);
  expect(backend.snapshot()).toEqual(before);
});
