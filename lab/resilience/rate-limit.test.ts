// Crowds of placements under a rate limit, on virtual time: the retries of §8 are there for them, and none rings twice.
import { createBackend, demo, type Policies } from "@call-transfer/backend";
import { type ApiKeyOptions, CallTransfer } from "@call-transfer/sdk";
import { expect, it } from "vitest";
import { createRandom, createScheduler, type Timer } from "../simulate/scheduler.ts";

const room: Partial<Policies> = {
  concurrentCallLimit: 1_000_000,
  dailyCallLimit: 1_000_000,
  rateLimit: { requests: 1_000_000, windowSecs: 1 },
};

/** A client and a backend in one world, whose time only moves while nothing else happens. */
function createWorld(policies: Partial<Policies>, options: ApiKeyOptions, firstRefused = 0) {
  const scheduler = createScheduler(Date.parse("2026-03-02T12:00:00Z"));
  const backend = createBackend({ policies: { ...room, ...policies } });
  const before = backend.state.calls.size;
  let [sent, numbered] = [0, 0];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent += 1;
    if (sent <= firstRefused) {
      const problem = {
        code: "rate_limit_exceeded",
        status: 429,
        title: "Refused",
        detail: "Refused.",
        requestId: "r",
      };
      return Response.json(problem, { status: 429, headers: { "retry-after": "1" } });
    }
    backend.clock.set({ now: scheduler.now });
    const work = backend.fetch(url, init);
    scheduler.hold(work);
    return work;
  };
  const client = new CallTransfer({
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
  return {
    sent: () => sent,
    /** Places calls one after the other, each to a number of its own. Returns how many were placed. */
    async placeInTurn(count: number): Promise<number> {
      let placed = 0;
      for (let n = 0; n < count; n += 1) {
        numbered += 1;
        const toNumber = `+1555${String(1_000_000 + numbered)}`;
        const body = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber };
        if ((await client.calls.create(body).result()).ok) placed += 1;
      }
      return placed;
    },
    /** The numbers that were dialled. */
    dialled: () => [...backend.state.calls.values()].slice(before).map(({ request }) => request.toNumber),
    /** Moves time on until the workers have ended. Returns the sum of what they placed. */
    async run(workers: readonly Promise<number>[]): Promise<number> {
      let isOver = false;
      const work = Promise.all(workers).finally(() => {
        isOver = true;
      });
      await scheduler.run(() => isOver, 10_000_000);
      return (await work).reduce((sum, placed) => sum + placed, 0);
    },
  };
}

it("a rate limit that refuses each of 1,000 concurrent placements once lets all be placed, none twice", async () => {
  const world = createWorld({}, {}, 1000);
  expect(await world.run(Array.from({ length: 1000 }, () => world.placeInTurn(1)))).toBe(1000);
  expect([world.dialled().length, new Set(world.dialled()).size, world.sent()]).toEqual([1000, 1000, 2000]);
});

it("a rate limit of 50 calls a second lets 100 workers with 20 retries place all of 600 calls, none twice", async () => {
  const world = createWorld({ rateLimit: { requests: 50, windowSecs: 1 } }, { maxRetries: 20 });
  expect(await world.run(Array.from({ length: 100 }, () => world.placeInTurn(6)))).toBe(600);
  expect([world.dialled().length, new Set(world.dialled()).size]).toEqual([600, 600]);
});
