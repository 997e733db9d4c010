// Placements under rate limits and outages, on virtual time: the retries of §8 are there for them, and none rings twice.
import { createBackend, demo, type Policies } from "@call-transfer/backend";
import { type ApiKeyOptions, CallTransfer } from "@call-transfer/sdk";
import { describe, expect, it } from "vitest";
import { createRandom, createScheduler, type Timer } from "../simulate/scheduler.ts";

const start = Date.parse("2026-03-02T12:00:00Z");
const hourMs = 3_600_000;
/** More than a client has retries to begin with. */
const many = 500;
const room: Partial<Policies> = {
  concurrentCallLimit: 1_000_000,
  dailyCallLimit: 1_000_000,
  rateLimit: { requests: 1_000_000, windowSecs: 1 },
};

/** What answers a request instead of the backend; undefined for the backend's own answer. */
type Instead = (request: number) => Response | undefined;

const refused = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  Response.json({ code, status, title: "Refused", detail: "Refused.", requestId: "r" }, { status, headers });

/** A client and a backend in one world, whose time only moves while nothing else happens. */
function createWorld(policies: Partial<Policies> = {}, instead: Instead = () => undefined) {
  const scheduler = createScheduler(start);
  const backend = createBackend({ policies: { ...room, ...policies } });
  const before = backend.state.calls.size;
  let sent = 0;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent += 1;
    const answer = instead(sent);
    if (answer) return answer;
    backend.clock.set({ now: scheduler.now });
    const work = backend.fetch(url, init);
    scheduler.hold(work);
    return work;
  };
  const clientOf = (options: ApiKeyOptions = {}) =>
    new CallTransfer({
      baseUrl: "http://localhost",
      apiKey: demo.apiKey,
      fetch,
      random: createRandom(1, "jitter").next,
      clock: {
        now: () => scheduler.now,
        setTimeout: (callback, delayMs) => scheduler.after(delayMs, callback),
        clearTimeout: (timer) => scheduler.cancel(timer as Timer),
      },
      ...options,
    });
  let numbered = 0;
  return {
    clientOf,
    scheduler,
    get sent() {
      return sent;
    },
    /** Places a call to a number of its own. True if it was placed. */
    async place(client: CallTransfer): Promise<boolean> {
      numbered += 1;
      const toNumber = `+1555${String(1_000_000 + numbered)}`;
      const body = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber };
      return (await client.calls.create(body).result()).ok;
    },
    /** How often each number was dialled. */
    dialled() {
      const counts = new Map<unknown, number>();
      for (const { request } of [...backend.state.calls.values()].slice(before))
        counts.set(request.toNumber, (counts.get(request.toNumber) ?? 0) + 1);
      return [...counts.values()];
    },
    pause: (delayMs: number) => new Promise<void>((resolve) => void scheduler.after(delayMs, resolve)),
    /** Moves time on until the work has ended. */
    async run<T>(work: Promise<T>): Promise<T> {
      let isOver = false;
      void work.then(() => {
        isOver = true;
      });
      await scheduler.run(() => isOver, 10_000_000);
      return work;
    },
  };
}

const countOf = (results: readonly boolean[]): number => results.filter(Boolean).length;

/** Repeats work, one after the other. */
async function inTurn(times: number, work: () => Promise<boolean>): Promise<boolean[]> {
  const results: boolean[] = [];
  for (let n = 0; n < times; n += 1) results.push(await work());
  return results;
}

describe("a rate limit", () => {
  it("that refuses each of 1,000 concurrent placements once lets all be placed, none twice", async () => {
    const limited = () => refused(429, "rate_limit_exceeded", { "retry-after": "1" });
    const world = createWorld({}, (request) => (request <= 1000 ? limited() : undefined));
    const client = world.clientOf();
    const placed = await world.run(Promise.all(Array.from({ length: 1000 }, () => world.place(client))));
    expect(countOf(placed)).toBe(1000);
    expect(world.dialled()).toEqual(Array.from({ length: 1000 }, () => 1));
    expect(world.sent).toBe(2000);
  });

  it("of 50 calls a second lets 100 workers with 20 retries place all of 600 calls, none twice", async () => {
    const world = createWorld({ rateLimit: { requests: 50, windowSecs: 1 } });
    const client = world.clientOf({ maxRetries: 20 });
    const worker = () => inTurn(6, () => world.place(client));
    const placed = await world.run(Promise.all(Array.from({ length: 100 }, worker)));
    expect(countOf(placed.flat())).toBe(600);
    expect(world.dialled()).toEqual(Array.from({ length: 600 }, () => 1));
  });

  it.each([
    ["says how long to wait", { "retry-after": "1" }],
    ["says no wait", { "retry-after": "0" }],
    ["says nothing about the wait", {}],
  ])(`that refuses every second request and %s fails none of ${many} placements in turn`, async (_, headers) => {
    const limited = () => refused(429, "rate_limit_exceeded", headers as Record<string, string>);
    const world = createWorld({}, (request) => (request % 2 === 1 ? limited() : undefined));
    const client = world.clientOf();
    expect(countOf(await world.run(inTurn(many, () => world.place(client))))).toBe(many);
    expect(world.dialled()).toEqual(Array.from({ length: many }, () => 1));
  });
});

describe("a lasting outage", () => {
  const refusals: readonly (readonly [name: string, answer: () => Response])[] = [
    ["503", () => refused(503, "service_unavailable")],
    ["503 with a wait", () => refused(503, "service_unavailable", { "retry-after": "1" })],
    ["429 without a wait", () => refused(429, "rate_limit_exceeded")],
    ["429 that asks for no wait", () => refused(429, "rate_limit_exceeded", { "retry-after": "0" })],
  ];

  it.each(refusals)("of %s gets at most 1.1 times the load of first attempts", async (_, answer) => {
    const world = createWorld({}, answer);
    const client = world.clientOf();
    const requests = 1800;
    const read = async () => {
      await world.pause(1000);
      return (await client.roles.list().result()).ok;
    };
    await world.run(inTurn(requests, read));
    expect(world.sent / requests).toBeLessThanOrEqual(1.1);
  });

  it("of a slow client gets at most 1.1 times the load of first attempts", async () => {
    const world = createWorld({}, () => refused(503, "service_unavailable"));
    const client = world.clientOf();
    const requests = 2500;
    const read = async () => {
      await world.pause(10_000);
      return (await client.roles.list().result()).ok;
    };
    await world.run(inTurn(requests, read));
    expect(world.sent / requests).toBeLessThanOrEqual(1.1);
  });

  it("leaves a client its whole budget a day later", async () => {
    let isDown = true;
    const world = createWorld({}, () => (isDown ? refused(503, "service_unavailable") : undefined));
    const client = world.clientOf({ maxRetries: 1 });
    const retriesOf = async (requests: number): Promise<number> => {
      const before = world.sent;
      await Promise.all(Array.from({ length: requests }, () => client.roles.list().result()));
      return world.sent - before - requests;
    };
    const [atFirst, later, nextDay] = await world.run(
      (async () => {
        const counts = [await retriesOf(500), await retriesOf(500)];
        await world.pause(24 * hourMs);
        return [...counts, await retriesOf(500)];
      })(),
    );
    isDown = false;
    expect([atFirst, later, nextDay]).toEqual([100, 0, 100]);
  });
});

it("waits on one hint are spread after it, and none ends before it", async () => {
  const limited = () => refused(429, "rate_limit_exceeded", { "retry-after": "7" });
  const sentAt: number[] = [];
  const world = createWorld({}, (request) => {
    sentAt.push(world.scheduler.now - start);
    return request <= 200 ? limited() : undefined;
  });
  const client = world.clientOf();
  await world.run(Promise.all(Array.from({ length: 200 }, () => world.place(client))));
  const waits = sentAt.slice(200);
  expect(Math.min(...waits)).toBeGreaterThan(7000);
  expect(new Set(waits).size).toBeGreaterThan(50);
  expect(Math.max(...waits)).toBeLessThan(7500);
});
