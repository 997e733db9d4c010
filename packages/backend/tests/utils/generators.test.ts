import { describe, expect, it } from "vitest";
import { type Backend, type BackendOptions, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { Seed } from "../../src/model/records.ts";
import { send } from "../test-client.ts";

const fetch = async () => new Response(null, { status: 204 });
const create = (options: BackendOptions): Backend => createBackend({ fetch, ...options });

/** Everything that gets an id when the platform is used: an event, a call, a group, an API key, a request. */
async function idsOf(backend: Backend): Promise<readonly unknown[]> {
  const { id } = await backend.deliveries.trigger({ destinationId: demo.destinations.app });
  const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
  const placed = await send(backend, "POST /calls", { body: call });
  const group = { name: "Another", members: [{ destinationId: demo.destinations.app }] };
  const created = await send(backend, "POST /transfers/destination-groups", { body: group });
  const key = backend.credentials.createApiKey();
  const own = (body: unknown, name: string): unknown => Reflect.get(Object(body), name);
  const requestIds = [placed, created].map(({ headers }) => headers.get("x-request-id"));
  return [id, own(placed.body, "callId"), own(created.body, "id"), key.id, key.key, ...requestIds];
}

function expectNoneTwice(ids: readonly unknown[]): void {
  expect(ids.filter((id) => id === undefined || id === null)).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
}

describe("a running clock without a seed", () => {
  it("gives no id of an earlier start", async () => {
    expectNoneTwice([
      ...(await idsOf(create({ clockMode: "running" }))),
      ...(await idsOf(create({ clockMode: "running" }))),
    ]);
  });

  it("gives no id again after a reset, nor after a snapshot is restored", async () => {
    const backend = create({ clockMode: "running" });
    const ids = [...(await idsOf(backend))];
    const snapshot = backend.snapshot();
    backend.reset();
    ids.push(...(await idsOf(backend)));
    for (const target of [backend, create({ clockMode: "running" })]) {
      // Without what was created since the start, which could not be created again.
      target.restore({ ...snapshot, seed: create({}).snapshot().seed, timers: [] });
      ids.push(...(await idsOf(target)));
    }
    expectNoneTwice(ids);
  });

  it("draws a seed that repeats the ids when it is given", async () => {
    const drawn = create({ clockMode: "running" });
    expect(await idsOf(create({ clockMode: "running", randomSeed: drawn.randomSeed }))).toEqual(await idsOf(drawn));
  });
});

describe("a fixed seed", () => {
  it.each<BackendOptions>([
    {},
    { clockMode: "frozen" },
    { clockMode: "running", randomSeed: 3 },
    { clockMode: "frozen", randomSeed: 3 },
  ])("gives the same ids at each start and after a reset: %j", async (options) => {
    const backend = create(options);
    const ids = await idsOf(backend);
    const again = create(options);
    expect(await idsOf(again)).toEqual(ids);
    again.reset();
    expect(await idsOf(again)).toEqual(ids);
    expect(again.randomSeed).toBe(options.randomSeed ?? 1);
  });
});

describe("the initial state", () => {
  const seed: Seed = {
    accounts: [{ id: "a0000000-0000-4000-8000-000000000009", name: "A" }],
    apiKeys: [{ accountId: "a0000000-0000-4000-8000-000000000009" }],
  };
  const starts: readonly BackendOptions[] = [{ clockMode: "running" }, { clockMode: "running" }, { randomSeed: 5 }, {}];

  it("has the same ids and secrets with every seed, also after a reset", () => {
    const keys = starts.map((options) => {
      const backend = create({ ...options, seed });
      const before = [...backend.state.apiKeys.values()];
      backend.reset();
      expect([...backend.state.apiKeys.values()]).toEqual(before);
      return before;
    });
    for (const each of keys) expect(each).toEqual(keys[0]);
  });

  it("signs access tokens with the same key, so that a later start accepts them", async () => {
    const [first, ...later] = starts.map((options) => create({ now: "2026-03-02T12:00:00Z", ...options }));
    const token = await first?.credentials.createAccessToken({ userId: demo.users.owner });
    const headers = { "x-account-id": demo.accountId };
    for (const backend of later) {
      expect((await send(backend, "GET /roles", { token: token ?? null, headers })).status).toBe(200);
      backend.reset();
      expect((await send(backend, "GET /roles", { token: token ?? null, headers })).status).toBe(200);
    }
  });
});
