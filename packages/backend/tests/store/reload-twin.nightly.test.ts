// Two backends get the same random requests. One keeps its state in a store and is replaced by one that loads it, now and then.
import { type Backend, createBackend, demo } from "@call-transfer/backend";
import { expect, it } from "vitest";
import type { BackendOptions } from "../../src/backend.ts";
import { createRandom } from "../../src/utils/random.ts";
import { control, send } from "../test-client.ts";
import { createMemoryStorage } from "./cases.ts";

const { accountId, destinations, members, flows, numbers, groups } = demo;
const flushMs = 250;

/** Real time that only a test moves, for one process. */
function manualWall(now: () => number) {
  let tasks: { readonly at: number; readonly run: () => void }[] = [];
  const after = (ms: number, run: () => void) => {
    const task = { at: now() + ms, run };
    tasks.push(task);
    return () => {
      tasks = tasks.filter((other) => other !== task);
    };
  };
  const runDue = async (): Promise<void> => {
    const due = tasks.filter(({ at }) => at <= now());
    tasks = tasks.filter(({ at }) => at > now());
    for (const { run } of due) run();
    await settled();
  };
  return { wall: { now, after }, runDue };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

type Request = (backend: Backend) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Chooses a request. The two backends have the same records, so that either may be `backend`. */
function choose(random: ReturnType<typeof createRandom>, { state, transfers }: Backend): Request {
  const number = (below: number): number => random.next() % below;
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[number(items.length)] ?? items[0];
  const call = pick(["none", ...state.calls.keys()]);
  const member = pick(Object.values(members) as [string, ...string[]]);
  const transfer = transfers.list().at(-1);
  const ring = transfer?.rings[number(transfer.rings.length)];
  const callee = ring?.memberId === undefined ? { destinationId: ring?.destinationId } : { memberId: ring.memberId };
  const newGroup = {
    name: `Group ${number(9)}`,
    members: [{ destinationId: pick([destinations.app, destinations.phone]) }],
  };
  const newCall = { flowId: flows.published, fromNumber: numbers.working, toNumber: demo.recipients.anyone };
  const changes: [object, ...object[]] = [
    { busy: true },
    { availability: { status: "away", until: "+90s" } },
    { missedCalls: 2 },
  ];
  return pick<Request>([
    (to) => send(to, "POST /transfers/destination-groups", { body: newGroup }),
    (to) => send(to, `POST /transfers/destinations/${destinations.app}/rotate-secret`),
    (to) => send(to, `DELETE /transfers/members/${member}/hours`),
    (to) => send(to, "GET /calls"),
    (to) => send(to, "POST /calls", { body: newCall }),
    (to) => control(to, `PATCH /records/calls/${call}`, { status: pick(["queued", "in_progress", "completed"]) }),
    (to) => control(to, `DELETE /records/calls/${call}`),
    (to) => control(to, `PATCH /records/members/${member}`, pick(changes)),
    (to) => control(to, "POST /records/apiKeys", { accountId, expiresAt: "+30s" }),
    (to) => control(to, "PATCH /policies", { concurrentCallLimit: 2, callDurationSecs: 30, missedCallLimit: 1 }),
    (to) => control(to, "POST /scenarios/secret-rotated"),
    (to) =>
      control(to, "POST /faults", { webhooks: {}, do: [{ sign: "reversed" }, "pass"], when: { nth: 2, times: 2 } }),
    (to) => control(to, "POST /faults", { when: { probability: 0.5, times: 4 }, do: { status: 503 } }),
    (to) => control(to, "POST /transfers", { destinationId: pick([destinations.app, destinations.availableHumans]) }),
    (to) => control(to, "POST /transfers", { groupId: groups.existing }),
    (to) => control(to, `POST /transfers/${transfer?.id}/answer`, callee),
    (to) => control(to, `POST /transfers/${transfer?.id}/decline`, callee),
    (to) => control(to, "POST /webhooks/trigger", { destinationId: destinations.app }),
    (to) => control(to, "PATCH /webhooks/inbox", { response: { status: pick([204, 503]) } }),
    (to) => control(to, "POST /clock/advance", pick<object>([{ nextTimer: true }, { by: 20_000 }, { by: 90_000 }])),
    (to) => control(to, "DELETE /requests"),
    (to) => control(to, pick(["POST /reset", "GET /coverage", "GET /faults", "GET /members/availability"])),
  ]);
}

/** What must not differ. Ids of requests are reserved in blocks, so those after a restart are others. */
function comparable(backend: Backend, answer: unknown): unknown {
  const { random, ...snapshot } = backend.snapshot();
  const whole = { answer, snapshot, main: random.main, faults: random.faults, requests: backend.requests.list() };
  const histories = {
    inbox: backend.inbox.list(),
    sent: backend.deliveries.list(),
    coverage: backend.requests.coverage(),
  };
  const isOther = (name: string): boolean => name === "requestId" || name === "durationMs" || name === "eventId";
  return JSON.parse(JSON.stringify({ ...whole, ...histories }, (name, value) => (isOther(name) ? undefined : value)));
}

it.each([1, 2, 3, 4, 5, 6])("equals one that runs on, with the random requests %s", async (seed) => {
  const random = createRandom(seed);
  const stores = createMemoryStorage();
  let now = Date.parse("2026-05-01T10:00:00Z");
  const options: BackendOptions = {
    controlPlane: true,
    async fetch() {
      // An offer that is stored first must not be answered later than one that is not.
      await settled();
      return new Response(null, { status: seed % 2 === 0 ? 204 : 503 });
    },
  };
  const lasting = createBackend({ ...options, wall: manualWall(() => now).wall });
  let process = manualWall(() => now);
  const start = (): Backend => createBackend({ ...options, wall: process.wall, store: stores.open("default", "{}") });
  let restarted = start();
  for (let step = 0; step < 150; step += 1) {
    const request = choose(random, lasting);
    const { position } = random;
    const expected = await request(lasting);
    // For the choices that the request itself makes.
    random.position = position;
    const answer = await request(restarted);
    for (let round = 0; round < 3; round += 1) await settled();
    if (random.next() % 3 === 0) {
      now += flushMs;
      await process.runDue();
      // What the process before planned never runs.
      process = manualWall(() => now);
      restarted = start();
      // A start does what is due, which waits for the next request otherwise.
      await lasting.clock.runDue();
      await settled();
    }
    expect(comparable(restarted, answer), `step ${step}`).toEqual(comparable(lasting, expected));
  }
});
