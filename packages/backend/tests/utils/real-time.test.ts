import { afterEach, expect, it, vi } from "vitest";

type RealTime = typeof import("../../src/utils/real-time.ts");

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

let loads = 0;
/** Loads the module again, as the first import of a test file does. */
async function load(): Promise<RealTime> {
  loads += 1;
  return (await import(`../../src/utils/real-time.ts?load=${loads}`)) as RealTime;
}

const { setTimeout: realTimeout } = globalThis;
const never = 2 ** 31 - 1;

it("finds the timers behind fakes that were there before", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["setTimeout", "clearTimeout", "setImmediate", "Date", "performance"] });
  const time = await load();
  expect(time.setTimeout).toBe(realTimeout);
  expect(time.realNow()).toBeGreaterThan(Date.parse("2026-01-01"));
  const start = time.elapsed();
  await time.endOfTurn();
  await new Promise((resolve) => void time.setTimeout(resolve, 2));
  expect(time.elapsed()).toBeGreaterThan(start);
});

it("finds the timers of Node behind functions that a test put in their place", async () => {
  vi.stubGlobal("setTimeout", Object.assign(vi.fn(), { _isMockFunction: true }));
  vi.stubGlobal("setImmediate", undefined);
  const time = await load();
  await new Promise((resolve) => void time.setTimeout(resolve, 0));
  await time.endOfTurn();
  expect(setTimeout).not.toHaveBeenCalled();
});

it("goes on where the runtime has no turns, and its way to Node's modules throws", async () => {
  vi.stubGlobal("setImmediate", undefined);
  vi.stubGlobal("process", {
    getBuiltinModule() {
      throw new Error("Not available in this runtime.");
    },
  });
  await expect((await load()).endOfTurn()).resolves.toBeUndefined();
});

it("keeps the timers that it took, whatever comes later", async () => {
  const time = await load();
  vi.useFakeTimers({ now: 0 });
  await new Promise((resolve) => void time.setTimeout(resolve, 1));
  await time.endOfTurn();
  expect(time.realNow()).toBeGreaterThan(Date.parse("2026-01-01"));
  const timer = time.setTimeout(() => {}, never);
  time.letProcessEnd(timer);
  expect(timer.hasRef()).toBe(false);
  time.clearTimeout(timer);
});
