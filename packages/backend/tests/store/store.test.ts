import { describe, expect, it } from "vitest";
import { type Backend, type BackendOptions, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { WallClock } from "../../src/model/clock.ts";
import type { SandboxStore } from "../../src/model/store.ts";
import { control, send } from "../test-client.ts";
import { manualWall, settled, storage } from "./storage.ts";

const group = { name: "Stored", members: [{ destinationId: demo.destinations.app }] };
const createGroup = (backend: Backend, name = group.name) =>
  send(backend, "POST /transfers/destination-groups", { body: { ...group, name } });

describe("nothing leaves before it is stored", () => {
  it("an answer resolves after the commit of its change", async () => {
    const { open, commits } = storage();
    const backend = createBackend({ store: open() });
    const before = commits.length;
    const { status } = await createGroup(backend);
    expect(status).toBe(201);
    expect(
      commits
        .slice(before)
        .flat()
        .map(({ table }) => table),
    ).toContain("groups");
  });

  it("a webhook is sent after the commit of its transfer", async () => {
    const { open } = storage();
    const seen: string[][] = [];
    const store = open();
    const backend = createBackend({
      store,
      fetch: async () => {
        seen.push([...(store.load() ?? [])].filter(({ table }) => table === "transfers").map(({ key }) => key));
        return new Response(null, { status: 204 });
      },
    });
    const { id } = backend.transfers.start({ destinationId: demo.destinations.app });
    await settled();
    expect(seen).toEqual([[id]]);
  });

  it("a webhook is not sent at all if a reset comes before that", async () => {
    let sent = 0;
    const fetch = async (): Promise<Response> => {
      sent += 1;
      return new Response();
    };
    const backend = createBackend({ store: storage().open(), fetch });
    const triggered = backend.deliveries.trigger({ destinationId: demo.destinations.app });
    backend.reset();
    expect([(await triggered).accepted, sent]).toEqual([false, 0]);
  });

  it("an event reaches a follower of the stream after the commit of what it says", async () => {
    const { open, commits } = storage();
    const backend = createBackend({ store: open(), controlPlane: true });
    const stream = await backend.fetch("http://mock.test/_control/v1/events/stream");
    const reader = stream.body?.getReader();
    await reader?.read();
    const before = commits.length;
    backend.transfers.start({ destinationId: demo.destinations.availableHumans });
    await reader?.read();
    expect(commits.length).toBeGreaterThan(before);
    backend.close();
  });

  it("a read waits for a commit under way, so it shows nothing that could be lost", async () => {
    const { open, commits } = storage();
    const backend = createBackend({ store: open() });
    backend.seed({ users: [{ id: "b0000000-0000-4000-8000-0000000000aa", name: "New" }] });
    const before = commits.length;
    await send(backend, "GET /roles");
    expect(commits.length).toBe(before + 1);
  });
});

it("requests that arrive together share a commit", async () => {
  const { open, commits } = storage();
  const backend = createBackend({ store: open() });
  const before = commits.length;
  await Promise.all(["a", "b", "c", "d"].map((name) => createGroup(backend, name)));
  expect(commits.length).toBe(before + 1);
});

describe("after a restart", () => {
  const restart = (options: BackendOptions, open: () => SandboxStore) => createBackend({ ...options, store: open() });

  it("everything is there that was acknowledged, with the same tokens, policies, faults and inbox", async () => {
    const { open, crash } = storage();
    const first = createBackend({ store: open(), controlPlane: true });
    expect(first.resumed).toBe(false);
    const token = await first.credentials.createAccessToken({ userId: demo.users.owner });
    await createGroup(first);
    await control(first, "PATCH /policies", { concurrentCallLimit: 3 });
    first.faults.add("listCalls 503, 503");
    first.inbox.response = { status: 503 };
    await first.flush();
    const expected = first.snapshot();
    crash(first);
    const second = restart({ randomSeed: 7, policies: { concurrentCallLimit: 9 } }, open);
    const { random, ...others } = second.snapshot();
    expect(second.resumed).toBe(true);
    expect(others).toEqual((({ random: _, ...rest }) => rest)(expected));
    expect(random).toEqual({ ...expected.random, requestIds: random.requestIds });
    const headers = { "x-account-id": demo.accountId };
    expect((await send(second, "GET /roles", { token, headers })).status).toBe(200);
  });

  it.each<[string, (backend: Backend) => void, (backend: Backend) => unknown]>([
    ["policies", (backend) => backend.updatePolicies({ missedCallLimit: 9 }), (backend) => backend.policies],
    [
      "the policies of a scenario",
      (backend) => backend.applyScenario("daily-limit-reached"),
      (backend) => backend.policies,
    ],
    ["an inbox that was cleared", (backend) => backend.inbox.clear(), (backend) => backend.inbox.response],
    ["a history that was cleared", (backend) => backend.reset(), (backend) => backend.deliveries.list()],
    [
      "a request log that was cleared",
      (backend) => backend.requests.clear(),
      (backend) => [backend.requests.list(), backend.requests.count],
    ],
    [
      "the secret of tokens in a snapshot",
      (backend) => backend.restore({ ...createBackend().snapshot(), tokenSecret: "ab".repeat(32) }),
      (backend) => backend.snapshot().tokenSecret,
    ],
  ])("%s is as it was", async (_, change, read) => {
    const { open, crash } = storage();
    const { wall, pass } = manualWall();
    const first = createBackend({ store: open(), wall });
    first.inbox.response = { status: 503 };
    await send(first, "GET /roles");
    first.collections.update("destinations", demo.destinations.app, { config: { url: "http://inbox.invalid/offers" } });
    await first.deliveries.trigger({ destinationId: demo.destinations.app });
    await pass(250);
    await settled();
    const before = JSON.stringify(read(first));
    change(first);
    const expected = read(first);
    expect(JSON.stringify(expected)).not.toBe(before);
    await settled();
    await pass(250);
    crash(first);
    expect(read(restart({}, open))).toEqual(expected);
  });

  it("no request id repeats, not even of requests that were not stored", async () => {
    const { open, crash } = storage();
    const ids: (string | null)[] = [];
    for (let run = 0; run < 4; run += 1) {
      const backend = restart({}, open);
      for (let request = 0; request < 5; request += 1)
        ids.push((await send(backend, "GET /roles")).headers.get("x-request-id"));
      crash(backend);
    }
    expect(new Set(ids).size).toBe(20);
  });

  it("no event id repeats, not even of a delivery that was not stored", async () => {
    const { open, crash } = storage();
    const ids: string[] = [];
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      ids.push(JSON.parse(String(init?.body)).id);
      return new Response();
    };
    for (let run = 0; run < 3; run += 1) {
      const backend = restart({ fetch }, open);
      await settled();
      await backend.deliveries.trigger({ destinationId: demo.destinations.app });
      crash(backend);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it("an unanswered offer is sent again with the same event id, with no request", async () => {
    const { open, crash } = storage();
    const bodies: string[] = [];
    const silent = (_: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(String(init?.body));
      return new Promise(() => {});
    };
    const first = createBackend({ store: open(), fetch: silent });
    const { id } = first.transfers.start({ destinationId: demo.destinations.app });
    await settled();
    crash(first);
    const accepting = async (_: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(String(init?.body));
      return new Response(null, { status: 204 });
    };
    const second = restart({ fetch: accepting }, open);
    await settled();
    expect(bodies).toHaveLength(2);
    expect(JSON.parse(bodies[1] ?? "")).toEqual(JSON.parse(bodies[0] ?? ""));
    expect(second.transfers.get(id)?.status).toBe("connected");
  });

  it("an offer that is sent again is the same event to the byte, even if each look at the clock shows another time", async () => {
    const { open } = storage();
    const bodies: string[] = [];
    let now = Date.parse("2026-05-01T10:00:00Z");
    const wall: WallClock = { now: () => ++now, after: () => () => {} };
    const fetch = (_: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(String(init?.body));
      return new Promise(() => {});
    };
    const first = createBackend({ store: open(), clockMode: "running", wall, fetch });
    first.transfers.start({ destinationId: demo.destinations.app });
    await settled();
    restart({ clockMode: "running", wall, fetch }, open);
    await settled();
    expect(bodies).toEqual([bodies[0], bodies[0]]);
  });

  it("a running clock has run on, and what was due meanwhile happens at once, offers first", async () => {
    const { open } = storage();
    const { wall, sleep } = manualWall();
    const options: BackendOptions = { clockMode: "running", wall, fetch: () => new Promise(() => {}) };
    const first = createBackend({ ...options, store: open() });
    const { id } = first.transfers.start({ destinationId: demo.destinations.app });
    await settled();
    const before = first.clock.now();
    sleep(3_600_000);
    const offered: unknown[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      offered.push(JSON.parse(String(init?.body)).transferId);
      return new Response(null, { status: 204 });
    };
    const second = restart({ ...options, fetch }, open);
    await settled();
    expect(second.clock.now()).toBe(before + 3_600_000);
    expect(offered).toEqual([id]);
    expect(second.transfers.get(id)?.status).toBe("unanswered");
    expect(second.transfers.get(id)?.rings[0]?.lateAnswers).toMatchObject([{ code: "offer_expired" }]);
    second.close();
  });

  it("a running clock does not go back if the real time was set back", async () => {
    const { open } = storage();
    const { wall, pass, sleep } = manualWall();
    const first = createBackend({ clockMode: "running", wall, store: open() });
    const before = first.clock.now();
    sleep(-86_400_000);
    const second = restart({ wall }, open);
    expect(second.clock.now()).toBe(before);
    await pass(1000);
    expect(second.clock.now()).toBe(before + 1000);
    second.close();
  });

  it("a policy that this version does not have is dropped", () => {
    const { open } = storage();
    createBackend({ store: open(), policies: { missedCallLimit: 9 } }).close();
    const stored = { missedCallLimit: 8, dropped: 1 };
    open().commit([{ table: "sandbox", key: "policies", text: JSON.stringify(stored) }]);
    const expected = { ...createBackend().policies, missedCallLimit: 8 };
    expect(restart({}, open).policies).toEqual(expected);
  });

  it("a frozen clock stands where it stood", async () => {
    const { open } = storage();
    const { wall, sleep } = manualWall();
    const first = createBackend({ store: open(), wall });
    await first.advance({ by: 5000 });
    await first.flush();
    const before = first.clock.now();
    sleep(3_600_000);
    expect(restart({ wall }, open).clock.now()).toBe(before);
  });

  it("the request log and the coverage are those of the last flush, and go on counting", async () => {
    const { open, crash } = storage();
    const { wall, pass } = manualWall();
    const first = createBackend({ store: open(), wall });
    for (let request = 0; request < 3; request += 1) await send(first, "GET /roles");
    await send(first, "GET /roles", { headers: { "x-account-id": "x" } });
    await pass(250);
    await send(first, "GET /accounts");
    crash(first);
    const second = restart({ wall }, open);
    expect(second.requests.list().map(({ operationId }) => operationId)).toEqual(Array(4).fill("listRoles"));
    await send(second, "GET /roles");
    expect(second.requests.list().map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
    const roles = second.requests.coverage().find(({ operationId }) => operationId === "listRoles");
    expect(roles?.statuses.find(({ status }) => status === 200)?.count).toBe(4);
    expect(roles?.codes.find(({ code }) => code === "account_access_denied")?.count).toBe(1);
  });

  it("a request log that was cleared stays cleared, and one that overflowed holds the latest 1000", async () => {
    const { open } = storage();
    const { wall, pass } = manualWall();
    let backend = createBackend({ store: open(), wall, policies: { rateLimit: { requests: 10_000, windowSecs: 60 } } });
    for (let request = 0; request < 1500; request += 1) {
      await send(backend, "GET /roles");
      if (request % 400 === 0) await pass(250);
    }
    backend.close();
    backend = restart({ wall }, open);
    expect(backend.requests.list().map(({ id }) => id)).toEqual(
      Array.from({ length: 1000 }, (_, index) => 501 + index),
    );
    expect(backend.requests.count).toBe(1500);
    const rows = [...(open().load() ?? [])].filter(({ table }) => table === "requests");
    expect(rows.flatMap(({ text }) => JSON.parse(text)).length).toBeLessThan(1400);
    backend.requests.clear();
    backend.close();
    backend = restart({ wall }, open);
    expect([backend.requests.list(), backend.requests.count]).toEqual([[], 0]);
    await send(backend, "GET /roles");
    expect(backend.requests.list().map(({ id }) => id)).toEqual([1501]);
  });

  it("deliveries and received offers are there, also beyond the number that is kept", async () => {
    const { open } = storage();
    const first = createBackend({ store: open() });
    first.collections.update("destinations", demo.destinations.app, { config: { url: "http://inbox.invalid/offers" } });
    for (let offer = 0; offer < 1003; offer += 1)
      await first.deliveries.trigger({ destinationId: demo.destinations.app });
    const [sent, received] = [first.deliveries.list(), first.inbox.list()];
    first.close();
    const second = restart({}, open);
    expect(second.deliveries.list()).toEqual(sent);
    expect(second.inbox.list()).toEqual(received);
    const last = sent.at(-1);
    const again = await second.deliveries.redeliver(last?.id ?? "");
    expect(again.redeliveryOf).toBe(last?.id);
    expect(second.deliveries.list()).toHaveLength(1000);
  });

  it("a reset leads to the present options, and is stored", async () => {
    const { open, crash } = storage();
    const first = createBackend({ store: open() });
    await createGroup(first);
    first.reset();
    await first.flush();
    crash(first);
    const second = restart({}, open);
    expect(second.resumed).toBe(true);
    expect([...second.state.groups.values()].map(({ name }) => name)).not.toContain(group.name);
  });

  it("the order of calls in the queue is that of placing them", async () => {
    const { open, crash } = storage();
    const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };
    const first = createBackend({ store: open(), policies: { concurrentCallLimit: 1 } });
    for (let number = 0; number < 4; number += 1) await send(first, "POST /calls", { body: call });
    const queue = ({ state }: Backend) =>
      [...state.calls.values()].filter(({ status }) => status === "queued").map(({ id }) => id);
    const before = queue(first);
    crash(first);
    expect(queue(restart({}, open))).toEqual(before);
    expect(before).toHaveLength(3);
  });
});

describe("a store that cannot be loaded", () => {
  const changed = (change: (row: { table: string; key: string; text: string }) => string): SandboxStore => {
    const { open } = storage();
    createBackend({ store: open() }).close();
    const store = open();
    return {
      ...store,
      load: () => [...(store.load() ?? [])].map((row) => ({ ...row, text: change(row) })),
    };
  };

  it("because a newer program wrote it gives the versions", () => {
    const store = changed(({ table, key, text }) => (table === "sandbox" && key === "version" ? "2" : text));
    expect(() => createBackend({ store })).toThrow(
      "The stored sandbox has version 2, and this program reads version 1. Use a newer program.",
    );
  });

  it.each(["version", "clock", "random", "tokenSecret", "policies", "faults", "stubs", "inbox"])(
    "because it has no %s says so",
    (name) => {
      const { open } = storage();
      createBackend({ store: open() }).close();
      open().commit([{ table: "sandbox", key: name, text: undefined }]);
      expect(() => createBackend({ store: open() })).toThrow(`The stored sandbox has no ${name}, so it is damaged.`);
    },
  );

  it("because it has a fault that this version does not know says so", () => {
    const { open } = storage();
    createBackend({ store: open() }).close();
    const faults = { last: 1, waiting: [{ id: "fault-1", do: "explode" }] };
    open().commit([{ table: "sandbox", key: "faults", text: JSON.stringify(faults) }]);
    expect(() => createBackend({ store: open() })).toThrow(
      /^The stored sandbox does not fit .*faults.waiting\[0\]\.do/,
    );
  });

  it("because a row is not JSON names the row", () => {
    const store = changed(({ table, text }) => (table === "accounts" ? text.slice(1) : text));
    expect(() => createBackend({ store })).toThrow(/^The stored row \S+ of accounts is not JSON\./);
  });
});
