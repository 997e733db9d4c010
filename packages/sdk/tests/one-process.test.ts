// What one process knows without the store: what it has in hand, and what it has answered.
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signature } from "../src/generated/signature.gen.ts";
import type { WebhookErrorCode } from "../src/webhooks/codes.ts";
import { InHand } from "../src/webhooks/in-hand.ts";
import { Once, type OnceSettings } from "../src/webhooks/once.ts";
import { type EventStore, memoryEventStore } from "../src/webhooks.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  // What is tried later ends by itself, whatever the store does: otherwise this aborts after 10,000 timers.
  await vi.runAllTimersAsync();
  vi.useRealTimers();
});

const down = new Error("connection refused");
const reject = () => Promise.reject(down);
const never = new Promise<never>(() => {});
const key = "default:id:evt_1";

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** A store in memory whose steps can be made to fail. */
function storeThatCanFail() {
  const store = memoryEventStore();
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

function processOf(store: EventStore, settings: Partial<OnceSettings> = {}) {
  const codes: WebhookErrorCode[] = [];
  const all = {
    ...({ store, duplicates: "answer", onStoreError: "handle", clock: Date } as const),
    ...{ leaseMs: 2000, waitMs: 8000, keepMs: 86_400_000, storeTimeoutMs: 1000, ...settings },
  };
  const errors: unknown[] = [];
  const once = new Once(all, (error, code) => {
    codes.push(code);
    errors.push(error);
  });
  let handled = 0;
  const receive = async (takesMs = 0, of = key): Promise<string> => {
    const { response, isCopy } = await once.handle(of, async () => {
      handled += 1;
      const number = handled;
      if (takesMs > 0) await pause(takesMs);
      return new Response(`handling ${number}`);
    });
    return `${await response.text()}${isCopy ? ", again" : ""}`;
  };
  return { receive, once, codes, errors, handled: () => handled };
}

async function settled<Result>(work: Promise<Result>, ms = 60_000): Promise<Result> {
  work.catch(() => {});
  await vi.advanceTimersByTimeAsync(ms);
  return work;
}

describe("copies in one process", () => {
  it("join while the first is handled, and the store is asked once", async () => {
    const { store } = storeThatCanFail();
    const { receive, handled } = processOf(store);
    const answers = await settled(Promise.all([receive(100), receive(), receive()]), 500);
    expect(answers).toEqual(["handling 1", "handling 1, again", "handling 1, again"]);
    expect([handled(), vi.mocked(store.claim).mock.calls.length]).toEqual([1, 1]);
  });

  it("get one answer while the store is down", async () => {
    const { store, fail } = storeThatCanFail();
    fail();
    const { receive, handled } = processOf(store);
    const together = await settled(Promise.all([receive(), receive()]), 500);
    expect([...together, await receive()]).toEqual(["handling 1", "handling 1, again", "handling 1, again"]);
    expect(handled()).toBe(1);
  });

  it("get one answer after the store has forgotten everything", async () => {
    const { receive } = processOf(memoryEventStore({ maxEvents: 1 }));
    await receive();
    await receive(0, "default:id:evt_2");
    expect(await receive()).toBe("handling 1, again");
  });

  it("are handled if the first fails, one after the other", async () => {
    const once = processOf(memoryEventStore()).once;
    let handled = 0;
    const receive = () =>
      once.handle(key, async () => {
        handled += 1;
        await pause(10);
        if (handled < 3) throw new Error("not yet");
        return new Response(`handling ${handled}`);
      });
    const results = await settled(Promise.allSettled([receive(), receive(), receive(), receive()]), 1000);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled", "fulfilled"]);
    expect(handled).toBe(3);
  });

  it("share a refusal of the store instead of waiting for it one after the other", async () => {
    const { store, fail } = storeThatCanFail();
    fail(() => never);
    const { receive } = processOf(store, { onStoreError: "refuse" });
    const results = await settled(Promise.allSettled([receive(), receive(), receive()]), 1100);
    for (const result of results) expect(result).toMatchObject({ reason: { status: 503, code: "store_timeout" } });
  });

  it("get 503 and the code busy after waitMs", async () => {
    const { receive } = processOf(memoryEventStore());
    const first = receive(20_000);
    const copy = expect(receive()).rejects.toMatchObject({ status: 503, code: "busy" });
    await vi.advanceTimersByTimeAsync(8000);
    await copy;
    expect(await settled(first)).toBe("handling 1");
  });

  it("get it after waitMs in all, also if they wait for several handlings", async () => {
    const { once } = processOf(memoryEventStore());
    const failing = (afterMs: number) => async () => {
      await pause(afterMs);
      return new Response("", { status: 500 });
    };
    const handlings = [5000, 5000].map((ms) => once.handle(key, failing(ms)));
    const copy = once.handle(key, failing(0));
    let failedAt: number | undefined;
    const from = performance.now();
    copy.catch(() => {
      failedAt = performance.now() - from;
    });
    await vi.advanceTimersByTimeAsync(20_000);
    await Promise.all(handlings);
    await expect(copy).rejects.toMatchObject({ code: "busy" });
    expect(failedAt).toBe(8000);
  });

  it("do not get it because another one has waited for too long", async () => {
    const store = memoryEventStore();
    const first = processOf(store).receive(10_000);
    const { receive } = processOf(store);
    const busy = expect(receive()).rejects.toMatchObject({ code: "busy" });
    await vi.advanceTimersByTimeAsync(4000);
    const copy = receive();
    await vi.advanceTimersByTimeAsync(20_000);
    await busy;
    expect([await first, await copy]).toEqual(["handling 1", "handling 1, again"]);
  });

  it("know without the store what it has answered once", async () => {
    const { store, fail } = storeThatCanFail();
    await processOf(store).receive();
    const { receive } = processOf(store);
    expect(await receive()).toBe("handling 1, again");
    fail();
    expect(await settled(receive(), 5000)).toBe("handling 1, again");
  });

  it("join also if the first waits for the store, and then for its handling, for long", async () => {
    const { store } = storeThatCanFail();
    vi.mocked(store.claim).mockImplementationOnce(async () => {
      await pause(12_000);
      return { state: "mine" };
    });
    const { receive, handled } = processOf(store, { storeTimeoutMs: 15_000, waitMs: 30_000 });
    const first = receive(8000);
    await vi.advanceTimersByTimeAsync(11_000);
    const copy = receive();
    expect(await settled(Promise.all([first, copy]))).toEqual(["handling 1", "handling 1, again"]);
    expect(handled()).toBe(1);
  });

  it("are handled if the runtime has ended the first request", async () => {
    const { store, shared } = storeThatCanFail();
    const { receive } = processOf(store);
    vi.mocked(store.claim).mockReturnValueOnce(never);
    // Its timers are gone, too.
    const first = receive();
    vi.clearAllTimers();
    void first;
    vi.setSystemTime(Date.now() + 10_000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await shared.claim(key, "another", 1)).toEqual({ state: "mine" });
    await vi.advanceTimersByTimeAsync(1);
    expect(await settled(receive(), 10)).toBe("handling 1");
  });

  it("are forgotten when the answer is no longer kept", async () => {
    const { receive } = processOf(memoryEventStore(), { keepMs: 10_000 });
    await receive();
    await vi.advanceTimersByTimeAsync(9000);
    expect(await receive()).toBe("handling 1, again");
    await vi.advanceTimersByTimeAsync(1001);
    expect(await receive()).toBe("handling 2");
  });
});

describe("an event in hand", () => {
  it("is abandoned ten seconds after the last sign of its runtime", async () => {
    const inHand = new InHand(60_000);
    await vi.advanceTimersByTimeAsync(4000);
    expect(await inHand.isAbandoned()).toBe(false);
    // This also sets the fake clock back to its start.
    vi.clearAllTimers();
    await vi.advanceTimersByTimeAsync(14_000);
    expect(await settled(inHand.isAbandoned(), 1)).toBe(true);
  });

  it("is not abandoned by a process that stood still", async () => {
    const inHand = new InHand(60_000);
    await vi.advanceTimersByTimeAsync(1999);
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 20_000);
    expect(await settled(inHand.isAbandoned(), 1)).toBe(false);
    inHand.share({});
  });

  it("lets a copy wait no longer than it may", async () => {
    const inHand = new InHand(60_000);
    let end: unknown = "none yet";
    void inHand.wait(500).then((ended) => {
      end = ended;
    });
    await vi.advanceTimersByTimeAsync(500);
    expect(end).toBeUndefined();
    inHand.share({});
  });
});

describe("an answer that the store could not keep", () => {
  it("is offered twice before it is sent, however slowly the store fails", async () => {
    const { store, fail } = storeThatCanFail();
    fail(() => pause(700).then(reject));
    const { receive } = processOf(store);
    let tries: number | undefined;
    const first = receive().then(() => {
      tries = vi.mocked(store.complete).mock.calls.length;
    });
    await settled(first);
    expect(tries).toBe(2);
  });

  it("is stored when the store works again, and others get it", async () => {
    const { store, fail, work } = storeThatCanFail();
    fail();
    const first = processOf(store);
    expect(await settled(first.receive(), 5000)).toBe("handling 1");
    work();
    await vi.advanceTimersByTimeAsync(5000);
    expect(await processOf(store).receive()).toBe("handling 1, again");
    expect(first.codes).not.toContain("answer_not_stored");
    // Timers of other files' sockets may be left in this process, so what counts is that the store is asked no more.
    const { length } = vi.mocked(store.complete).mock.calls;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.mocked(store.complete).mock.calls.length).toBe(length);
  });

  it("is stored soon after the store has answered another event", async () => {
    const { store, fail, work } = storeThatCanFail();
    fail();
    const first = processOf(store);
    await settled(first.receive(), 60_000);
    work();
    await first.receive(0, "another event");
    await vi.advanceTimersByTimeAsync(100);
    expect(await processOf(store).receive()).toBe("handling 1, again");
  });

  it("is reported if another process has stored another one, and copies here keep theirs", async () => {
    const { store, shared, fail, work } = storeThatCanFail();
    fail();
    const first = processOf(store);
    await settled(first.receive(), 100);
    const other = await processOf(shared).receive();
    work();
    await vi.advanceTimersByTimeAsync(2000);
    expect([other, await first.receive()]).toEqual(["handling 1", "handling 1, again"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first.codes.filter((code) => code === "handled_twice")).toHaveLength(1);
  });

  it("is given up when its time is over, which is reported", async () => {
    const { store, fail } = storeThatCanFail();
    fail();
    const { receive, codes, errors } = processOf(store, { keepMs: 5000 });
    await settled(receive(), 8000);
    expect(codes.at(-1)).toBe("answer_not_stored");
    const message = `The answer to the event ${key} was never stored. Check the event store.`;
    expect(errors.at(-1)).toMatchObject({ message, code: "answer_not_stored" });
    const { length } = vi.mocked(store.complete).mock.calls;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.mocked(store.complete).mock.calls.length).toBe(length);
  });

  it("is tried one at a time and ever less often while the store is down, and given up after 1,000 times", async () => {
    const { store, fail } = storeThatCanFail();
    const tries: number[] = [];
    fail(() => {
      tries.push(performance.now());
      return reject();
    });
    const { receive, codes } = processOf(store);
    await settled(Promise.all(Array.from({ length: 50 }, (_, at) => receive(0, `event ${at}`))), 60_000);
    tries.length = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([tries.length, new Set(tries).size]).toEqual([12, 12]);
    expect(codes).not.toContain("answer_not_stored");
    await vi.advanceTimersByTimeAsync(5_000_000);
    expect(codes.filter((code) => code === "answer_not_stored").length).toBe(50);
    // 100 tries before the answers were sent.
    expect(vi.mocked(store.complete).mock.calls.length).toBe(1100);
    await vi.advanceTimersByTimeAsync(5_000_000);
    expect(vi.mocked(store.complete).mock.calls.length).toBe(1100);
  });

  it("is tried ever less often while another process has the event", async () => {
    const { store, shared, fail, work } = storeThatCanFail();
    fail();
    const { receive } = processOf(store);
    await settled(receive(), 50);
    await shared.claim(key, "another", 60_000);
    work();
    const { length } = vi.mocked(store.complete).mock.calls;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.mocked(store.complete).mock.calls.length - length).toBe(16);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await shared.claim(key, "one more", 1000)).toMatchObject({ state: "done" });
  });

  it("does not keep the process from ending", () => {
    const program = `
      import { createWebhookHandler, signWebhook } from "@call-transfer/sdk/webhooks";
      const fail = () => Promise.reject(new Error("connection refused"));
      const store = { claim: fail, complete: fail, release: fail };
      const receive = createWebhookHandler({ secret: "s", store, onError: () => {}, onEvent: () => {} });
      const body = '{"type":"event.test","id":"evt_1"}';
      const headers = { "${signature.header}": await signWebhook(body, { secret: "s" }) };
      const { status } = await receive(new Request("http://localhost", { method: "POST", body, headers }));
      console.log(status);`;
    const options = ["--conditions=@call-transfer/source", "--input-type=module", "--eval", program];
    expect(execFileSync(process.execPath, options, { cwd: import.meta.dirname, encoding: "utf8" })).toBe("204\n");
  });
});

describe("a claim that comes late", () => {
  it("is given back if the event was refused", async () => {
    const { store, shared, fail } = storeThatCanFail();
    // The store hangs, and executes later what it was sent.
    let resume: () => void = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    fail((take) => resumed.then(take));
    const { receive } = processOf(store, { onStoreError: "refuse", leaseMs: 60_000 });
    await expect(settled(receive(), 1500)).rejects.toMatchObject({ code: "store_timeout" });
    resume();
    await vi.advanceTimersByTimeAsync(100);
    expect(await shared.claim(key, "another", 2000)).toEqual({ state: "mine" });
  });

  it("is given back also if the client never says that it was executed", async () => {
    const { store, shared, fail, work } = storeThatCanFail();
    fail(async (take) => {
      void take();
      throw down;
    });
    const { receive } = processOf(store, { onStoreError: "refuse", leaseMs: 60_000 });
    vi.mocked(store.release).mockImplementationOnce(reject);
    await expect(settled(receive(), 10)).rejects.toMatchObject({ code: "store_failed" });
    expect(await shared.claim(key, "another", 2000)).toEqual({ state: "busy" });
    work();
    await vi.advanceTimersByTimeAsync(500);
    expect(await shared.claim(key, "another", 2000)).toEqual({ state: "mine" });
  });
});

describe("a store that is busy", () => {
  /** Takes 100 ms for a step, and two at once. */
  function slow(atOnce: number | undefined) {
    const store = memoryEventStore();
    let [running, most] = [0, 0];
    const through = async <Result>(take: () => Promise<Result>): Promise<Result> => {
      running += 1;
      most = Math.max(most, running);
      await pause(100);
      running -= 1;
      return take();
    };
    const slowed: EventStore = {
      ...(atOnce !== undefined && { stepsAtOnce: atOnce }),
      claim: (...given) => through(() => store.claim(...given)),
      complete: (...given) => through(() => store.complete(...given)),
      release: (...given) => through(() => store.release(...given)),
    };
    return { store: slowed, most: () => most };
  }

  it("is not a store that is down: steps wait for their turn, which is not their time", async () => {
    const { store, most } = slow(2);
    const { receive, codes } = processOf(store);
    await settled(Promise.all(Array.from({ length: 40 }, (_, at) => receive(0, `event ${at}`))), 10_000);
    expect([codes, most()]).toEqual([[], 2]);
  });

  it("takes 100 steps at once if it does not say how many", async () => {
    const { store, most } = slow(undefined);
    const { receive } = processOf(store);
    await settled(Promise.all(Array.from({ length: 400 }, (_, at) => receive(0, `event ${at}`))), 10_000);
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
    await settled(Promise.all(all), 10_000);
  });

  it("is reported as busy when a step waits for longer than waitMs", async () => {
    const { store } = slow(1);
    const { receive, codes } = processOf(store, { waitMs: 2000 });
    await settled(Promise.all(Array.from({ length: 40 }, (_, at) => receive(0, `event ${at}`))), 20_000);
    expect(new Set(codes)).toEqual(new Set(["store_busy"]));
  });

  it("is found to be down by one step for all that wait", async () => {
    const claim = vi.fn(() => never);
    const store: EventStore = { stepsAtOnce: 2, claim, complete: reject, release: reject };
    const { receive, handled } = processOf(store);
    const all = Promise.all(Array.from({ length: 40 }, (_, at) => receive(0, `event ${at}`)));
    await vi.advanceTimersByTimeAsync(1001);
    expect([handled(), claim.mock.calls.length]).toEqual([40, 2]);
    await settled(all);
  });
});

describe("a store that forgets", () => {
  it("is reported at the first answer that it forgets, and at ten times as many", async () => {
    const { receive, codes, errors } = processOf(memoryEventStore({ maxEvents: 5 }));
    for (let at = 0; at < 5; at += 1) await receive(0, `event ${at}`);
    expect(codes).toEqual([]);
    await receive(0, "event 5");
    expect(codes).toEqual(["store_forgets"]);
    expect(errors[0]).toMatchObject({
      message:
        "The event store forgot answers before keepMs was over (1 so far). Copies may be handled again. " +
        "Raise its maxEvents or use a shared store.",
      code: "store_forgets",
    });
    for (let at = 6; at < 60; at += 1) await receive(0, `event ${at}`);
    expect(codes).toEqual(["store_forgets", "store_forgets"]);
  });
});
