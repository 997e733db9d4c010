// What one process knows without the store: what it has in hand, and what it has answered.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InFlight } from "../src/webhooks/deduplicator.ts";
import type { EventStore } from "../src/webhooks.ts";
import { memoryStore } from "./memory-store.ts";
import { openProcess, type ProcessSettings } from "./processes.ts";
import { after } from "./settle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  // What is tried later ends by itself, whatever the store does: otherwise this aborts after 10,000 timers.
  await vi.runAllTimersAsync();
  vi.useRealTimers();
});

const down = new Error("connection refused");
const reject = () => Promise.reject(down);
const never = new Promise<never>(() => {});
const key = "id:evt_1";

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** A store in memory whose steps can be made to fail. */
function storeThatCanFail() {
  const store = memoryStore();
  let step: ((take: () => Promise<unknown>) => Promise<unknown>) | undefined;
  const through = <Result>(take: () => Promise<Result>) => (step ? (step(take) as Promise<Result>) : take());
  const failing: EventStore = {
    claim: vi.fn((...given: Parameters<EventStore["claim"]>) => through(() => store.claim(...given))),
    complete: vi.fn((...given: Parameters<EventStore["complete"]>) => through(() => store.complete(...given))),
    release: vi.fn((...given: Parameters<EventStore["release"]>) => through(() => store.release(...given))),
  };
  return {
    store: failing,
    /** What the others see. */
    shared: store,
    fail: (how: typeof step = reject) => {
      step = how;
    },
    work: () => {
      step = undefined;
    },
  };
}

function processOf(store: EventStore | undefined, settings: ProcessSettings = {}) {
  const { events, ...reports } = openProcess(store, settings);
  let handled = 0;
  const receive = async (takesMs = 0, of = key): Promise<string> => {
    const { response, deduplicated } = await events.handle(of, async () => {
      handled += 1;
      const number = handled;
      if (takesMs > 0) await pause(takesMs);
      return new Response(`handling ${number}`);
    });
    return `${await response.text()}${deduplicated ? ", again" : ""}`;
  };
  return { receive, events, ...reports, handled: () => handled };
}

describe("copies in one process", () => {
  it("join while the first is handled, and the store is asked once", async () => {
    const { store } = storeThatCanFail();
    const { receive, handled } = processOf(store);
    const answers = await after(Promise.all([receive(100), receive(), receive()]), 500);
    expect(answers).toEqual(["handling 1", "handling 1, again", "handling 1, again"]);
    expect([handled(), vi.mocked(store.claim).mock.calls.length]).toEqual([1, 1]);
  });

  it("get one answer while the store is down", async () => {
    const { store, fail } = storeThatCanFail();
    fail();
    const { receive, handled } = processOf(store);
    const together = await after(Promise.all([receive(), receive()]), 500);
    expect([...together, await receive()]).toEqual(["handling 1", "handling 1, again", "handling 1, again"]);
    expect(handled()).toBe(1);
  });

  it("get one answer after the store has forgotten everything", async () => {
    const { store } = storeThatCanFail();
    const { receive } = processOf(store);
    await receive();
    vi.mocked(store.claim).mockResolvedValue({ state: "claimed" });
    expect(await receive()).toBe("handling 1, again");
  });

  it("get one answer without a store", async () => {
    const { receive, handled } = processOf(undefined);
    const together = await after(Promise.all([receive(100), receive()]), 500);
    expect([...together, await receive()]).toEqual(["handling 1", "handling 1, again", "handling 1, again"]);
    expect(handled()).toBe(1);
  });

  it("are handled if the first fails, one after the other", async () => {
    const { events } = processOf(memoryStore());
    let handled = 0;
    const receive = () =>
      events.handle(key, async () => {
        handled += 1;
        await pause(10);
        if (handled < 3) throw new Error("not yet");
        return new Response(`handling ${handled}`);
      });
    const results = await after(Promise.allSettled([receive(), receive(), receive(), receive()]), 1000);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled", "fulfilled"]);
    expect(handled).toBe(3);
  });

  it("share a refusal of the store instead of waiting for it one after the other", async () => {
    const { store, fail } = storeThatCanFail();
    fail(() => never);
    const { receive } = processOf(store, { onStoreError: "reject" });
    const results = await after(Promise.allSettled([receive(), receive(), receive()]), 1100);
    for (const result of results) expect(result).toMatchObject({ reason: { status: 503, code: "store_timeout" } });
  });

  it("get it after duplicateWaitMs in all, also if they wait for several handlings", async () => {
    const { events } = processOf(memoryStore());
    const failing = (afterMs: number) => async () => {
      await pause(afterMs);
      return new Response("", { status: 500 });
    };
    const handlings = [5000, 5000].map((ms) => events.handle(key, failing(ms)));
    const copy = events.handle(key, failing(0));
    let failedAt: number | undefined;
    const from = performance.now();
    copy.catch(() => {
      failedAt = performance.now() - from;
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await Promise.all(handlings);
    await expect(copy).rejects.toMatchObject({ code: "duplicate_timeout" });
    expect(failedAt).toBe(8000);
  });

  it("do not get it because another one has waited for too long", async () => {
    const store = memoryStore();
    const first = processOf(store).receive(10_000);
    const { receive } = processOf(store);
    const busy = expect(receive()).rejects.toMatchObject({ code: "duplicate_timeout" });
    await vi.advanceTimersByTimeAsync(4000);
    const copy = receive();
    await vi.advanceTimersByTimeAsync(20_000);
    await busy;
    expect([await first, await copy]).toEqual(["handling 1", "handling 1, again"]);
  });

  it("are handled after a lease if the runtime has ended the first request", async () => {
    const { store, shared } = storeThatCanFail();
    const { receive } = processOf(store);
    vi.mocked(store.claim).mockReturnValueOnce(never);
    // Its timers are gone, too.
    const first = receive();
    vi.clearAllTimers();
    void first;
    vi.setSystemTime(Date.now() + 2000);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await shared.claim(key, "another", 1)).toEqual({ state: "claimed" });
    await vi.advanceTimersByTimeAsync(1);
    expect(await after(receive(), 10)).toBe("handling 1");
  });
});

describe("an event in hand", () => {
  it("is not abandoned by a process that stood still", async () => {
    const inFlight = new InFlight(2000, 60_000);
    await vi.advanceTimersByTimeAsync(665);
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 20_000);
    expect(await after(inFlight.isAbandoned(), 1)).toBe(false);
    inFlight.end({});
  });
});

describe("a claim that comes late", () => {
  it.each([
    ["after it", false],
    ["before it", true],
  ])("is given back if the event was refused, and the release is executed %s", async (_, overtakes) => {
    const { store, shared, fail } = storeThatCanFail();
    // The store hangs, and executes later what it was sent.
    let resume: () => void = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    fail((take) => resumed.then(take));
    const steps: EventStore = overtakes ? { ...store, release: shared.release } : store;
    const { receive } = processOf(steps, { onStoreError: "reject", leaseDurationMs: 60_000 });
    await expect(after(receive(), 1500)).rejects.toMatchObject({ code: "store_timeout" });
    resume();
    await vi.advanceTimersByTimeAsync(100);
    expect(await shared.claim(key, "another", 2000)).toEqual({ state: "claimed" });
  });
});

describe("a store that is busy", () => {
  /** Takes 100 ms for a step, and two at once. */
  function slow(atOnce: number | undefined) {
    const store = memoryStore();
    let [running, most] = [0, 0];
    const through = async <Result>(take: () => Promise<Result>): Promise<Result> => {
      running += 1;
      most = Math.max(most, running);
      await pause(100);
      running -= 1;
      return take();
    };
    const slowed: EventStore = {
      ...(atOnce !== undefined && { maxConcurrency: atOnce }),
      claim: (...given) => through(() => store.claim(...given)),
      complete: (...given) => through(() => store.complete(...given)),
      release: (...given) => through(() => store.release(...given)),
    };
    return { store: slowed, most: () => most };
  }

  it("is not a store that is down: steps wait for their turn, which is not their time", async () => {
    const { store, most } = slow(2);
    const { receive, codes } = processOf(store);
    await after(Promise.all(Array.from({ length: 40 }, (_, at) => receive(0, `event ${at}`))), 10_000);
    expect([codes, most()]).toEqual([[], 2]);
  });

  it("takes 100 steps at once if it does not say how many", async () => {
    const { store, most } = slow(undefined);
    const { receive } = processOf(store);
    await after(Promise.all(Array.from({ length: 400 }, (_, at) => receive(0, `event ${at}`))), 10_000);
    expect(most()).toBe(100);
  });

  it("stores answers first, so that no lease runs out meanwhile", async () => {
    const { store } = slow(2);
    const { receive } = processOf(store);
    const order: number[] = [];
    const all = Array.from({ length: 40 }, (_, at) => receive(0, `event ${at}`).then(() => order.push(at)));
    await vi.advanceTimersByTimeAsync(450);
    // All the claims alone would take 2 seconds.
    expect(order).toEqual([0, 1, 2]);
    await after(Promise.all(all), 10_000);
  });

  it("is reported as busy when a step waits for longer than duplicateWaitMs", async () => {
    const { store } = slow(1);
    const { receive, codes } = processOf(store, { duplicateWaitMs: 2000 });
    await after(Promise.all(Array.from({ length: 40 }, (_, at) => receive(0, `event ${at}`))), 20_000);
    expect(new Set(codes)).toEqual(new Set(["store_timeout"]));
  });

  it("is found to be down by one step for all that wait", async () => {
    const claim = vi.fn(() => never);
    const store: EventStore = { maxConcurrency: 2, claim, complete: reject, release: reject };
    const { receive, handled } = processOf(store);
    const all = Promise.all(Array.from({ length: 40 }, (_, at) => receive(0, `event ${at}`)));
    await vi.advanceTimersByTimeAsync(1001);
    expect([handled(), claim.mock.calls.length]).toEqual([40, 2]);
    await after(all);
  });
});

describe("the memory of a process", () => {
  it("has the latest responses, at least as many as asked for and at most twice as many", async () => {
    const { receive } = processOf(undefined, { maxAnswers: 3 });
    for (let at = 1; at <= 7; at += 1) await receive(0, `event ${at}`);
    for (const at of [7, 6, 5, 4]) expect(await receive(0, `event ${at}`)).toBe(`handling ${at}, again`);
    expect(await receive(0, "event 1")).toBe("handling 8");
  });

  it("has fewer of those whose responses are long", async () => {
    const { events } = processOf(undefined);
    const long = () => Promise.resolve(new Response("x".repeat(16 * 1024)));
    for (let at = 0; at < 1000; at += 1) await events.handle(`event ${at}`, long);
    expect((await events.handle("event 999", long)).deduplicated).toBe(true);
    expect((await events.handle("event 0", long)).deduplicated).toBe(false);
  });

  it("reports responses that it evicts while their deliveries are still valid", async () => {
    const { receive, onEvictedEarly } = processOf(undefined, { maxAnswers: 2, validMs: 600_000 });
    for (let at = 1; at <= 4; at += 1) await receive(0, `event ${at}`);
    expect(onEvictedEarly).not.toHaveBeenCalled();
    await receive(0, "event 5");
    expect(onEvictedEarly).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(600_000);
    for (let at = 6; at <= 7; at += 1) await receive(0, `event ${at}`);
    expect(onEvictedEarly).toHaveBeenCalledOnce();
  });
});
