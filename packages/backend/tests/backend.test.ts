import { expect, it } from "vitest";
import { assembleBackend, createBackend, defaultParts } from "../src/backend.ts";
import { demo } from "../src/data/demo-seed.ts";
import { send } from "./test-client.ts";

const groups = "POST /transfers/destination-groups";
const group = { name: "A", members: [{ destinationId: demo.destinations.app }] };

it("two backends share nothing", async () => {
  const [one, two] = [createBackend(), createBackend()];
  await send(one, groups, { body: group });
  expect((await send(two, groups, { body: group })).status).toBe(201);
});

it("reset restores the initial state in every part", async () => {
  const backend = createBackend({ fetch: async () => new Response(), policies: { dailyCallLimit: 5 } });
  const first = await send(backend, groups, { body: group });
  await backend.clock.advance({ by: 1000 });
  await backend.deliveries.trigger({ destinationId: demo.destinations.app });
  backend.faults.add({ do: { code: "conflict" } });
  backend.updatePolicies({ dailyCallLimit: 1 });
  backend.reset();
  expect(backend.clock.iso()).toBe("2026-03-02T12:00:00.000Z");
  expect([backend.faults.list(), backend.deliveries.list(), backend.requests.list()]).toEqual([[], [], []]);
  expect(backend.policies.dailyCallLimit).toBe(5);
  const again = await send(backend, groups, { body: group });
  expect([again.status, again.body]).toEqual([first.status, first.body]);
});

it("the request log lists operation, status and code, without the query", async () => {
  const backend = createBackend();
  const answer = await send(backend, "GET /calls?status=secret", { token: "secret" });
  expect(backend.requests.list()).toEqual([
    {
      id: 1,
      at: "2026-03-02T12:00:00.000Z",
      method: "GET",
      path: "/api/v1/calls",
      operationId: "listCalls",
      status: 401,
      code: "token_invalid",
      requestId: answer.headers.get("x-request-id"),
      durationMs: expect.any(Number),
      decidedBy: { step: "credentials", section: "§5.4", detail: expect.stringContaining("token") },
    },
  ]);
});

it("an aborted request is rejected", async () => {
  const backend = createBackend();
  const signal = AbortSignal.abort(new Error("gone"));
  await expect(backend.fetch("http://mock.test/api/v1/roles", { signal })).rejects.toThrow("gone");
});

it.each([
  [{ colour: "red" }, "colour: "],
  [{ clock: "stopped" }, "clock: "],
  [{ now: "yesterday" }, "now: "],
  [{ now: true }, "now: "],
  [{ fetch: 5 }, "fetch: "],
  [{ seed: 5 }, "seed: "],
  [{ randomSeed: 1.5 }, "randomSeed: "],
  [{ controlPlane: "yes" }, "controlPlane: "],
  [{ policies: "strict" }, "policies: "],
  [{ faults: {} }, "faults: "],
  [{ faults: [{ do: { code: "nope" } }] }, "faults[0].do.code: "],
  [{ policies: { dailyCalls: 1 } }, "policies.dailyCalls: "],
  [{ policies: { secondRotation: "ask" } }, "policies.secondRotation: must be one of replace, reject"],
  [{ policies: { secondRotation: ["replace"] } }, "policies.secondRotation: "],
  [{ policies: { dailyCallLimit: -1 } }, "policies.dailyCallLimit: "],
  [{ policies: { rateLimit: { requests: 1 } } }, "policies.rateLimit.windowSecs: "],
])("rejects the options %j and names the invalid one", (options, field) => {
  expect(() => createBackend(options as never)).toThrow(field);
});

it("rejects limits that are not integers and seconds that overflow a timer", () => {
  expect(() => createBackend({ policies: { concurrentCallLimit: 2.5 } })).toThrow("policies.concurrentCallLimit: ");
  expect(() => createBackend({ policies: { deliveryTimeoutSecs: 1e7 } })).toThrow("policies.deliveryTimeoutSecs: ");
});

it("a running clock starts at the real time, also after a reset", () => {
  let real = Date.parse("2026-05-01T10:00:00Z");
  const wall = { now: () => real, after: () => () => {} };
  const backend = assembleBackend({ clockMode: "running", wall }, defaultParts);
  expect(backend.clock.now()).toBe(real);
  backend.clock.set({ now: 0 });
  real += 3_600_000;
  backend.reset();
  expect(backend.clock.now()).toBe(real);
  backend.close();
});

it("dates the demo data from the start of the clock, also after a reset", async () => {
  let real = Date.parse("2031-07-06T05:04:03Z");
  const wall = { now: () => real, after: () => () => {} };
  const backend = assembleBackend({ clockMode: "running", wall }, defaultParts);
  const { agent, member } = demo.members;
  const coming = () => backend.upcomingTimers().map(({ at, kind, id }) => [(at - real) / 60_000, kind, id]);
  const ends = [
    [15, "availability.ends", agent],
    [60, "availability.ends", member],
  ];
  expect(coming()).toEqual(ends);
  real += 2 * 3_600_000;
  expect(coming()).toEqual([]);
  backend.reset();
  expect(coming()).toEqual(ends);
  expect((await send(backend, `GET /transfers/members/${member}/availability`)).body).toMatchObject({
    status: "away",
    until: "2031-07-06T08:04:03Z",
  });
  backend.close();
});
