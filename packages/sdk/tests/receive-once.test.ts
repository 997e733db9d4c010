import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventStore } from "../src/webhooks.ts";
import { memoryStore } from "./memory-store.ts";
import { openProcess, type ProcessSettings } from "./processes.ts";
import { after } from "./settle.ts";

const key = "id:evt_1";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Delivery {
  readonly settings?: ProcessSettings;
  /** How long the handling takes; 0 by default. */
  readonly takesMs?: number;
  readonly answer?: () => Response;
}

/** Handlers, each a process of its own, that share a store. Each handling answers with its number. */
function receiver(store: EventStore = memoryStore()) {
  const report = vi.fn();
  const codes: string[] = [];
  let handled = 0;
  const receive = async ({ settings = {}, takesMs = 0, answer }: Delivery = {}): Promise<Response> => {
    const handle = async (): Promise<Response> => {
      handled += 1;
      const number = handled;
      if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
      return answer?.() ?? new Response(`handling ${number}`);
    };
    const process = openProcess(store, settings);
    process.report.mockImplementation((error, code) => {
      codes.push(code);
      return report(error);
    });
    return (await process.events.handle(key, handle)).response;
  };
  return { receive, report, handled: () => handled, codes, store };
}

const seen = async (response: Response): Promise<readonly [number, string]> => [response.status, await response.text()];

const failing = (): never => {
  throw new Error("database down");
};

/** A store whose steps are replaced. */
const storeWith = (changes: Partial<EventStore>, store: EventStore = memoryStore()): EventStore => ({
  ...store,
  ...changes,
});

const never = new Promise<never>(() => {});

describe("the copies of an event", () => {
  it("get the first answer later, with its status, content type and body, and are not handled", async () => {
    const { receive, handled } = receiver();
    const answer = () => Response.json({ line: "é 7" }, { status: 409, headers: { "x-line": "7" } });
    const first = await receive({ answer });
    const copy = await receive();
    expect(handled()).toBe(1);
    expect([first.headers.get("x-line"), copy.headers.get("content-type")]).toEqual(["7", "application/json"]);
    expect(await seen(copy)).toEqual([409, '{"line":"é 7"}']);
    expect(await seen(first)).toEqual([409, '{"line":"é 7"}']);
  });

  it("that arrive while it is handled wait for that answer", async () => {
    const { receive, handled } = receiver();
    const copies = Array.from({ length: 20 }, () => receive({ takesMs: 5000 }));
    const answers = await after(Promise.all(copies));
    expect(handled()).toBe(1);
    expect(new Set(await Promise.all(answers.map((answer) => answer.text())))).toEqual(new Set(["handling 1"]));
  });

  it("get 503 with Retry-After if they have waited for 8 seconds", async () => {
    const { receive, handled } = receiver();
    void receive({ takesMs: 20_000 });
    await vi.advanceTimersByTimeAsync(0);
    const copy = expect(receive()).rejects.toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    await vi.advanceTimersByTimeAsync(7_700);
    expect(handled()).toBe(1);
    await vi.advanceTimersByTimeAsync(600);
    await copy;
  });

  it("get no body if the first one is longer than 16 kB", async () => {
    const { receive } = receiver();
    const long = "x".repeat(16 * 1024 + 1);
    expect(await seen(await receive({ answer: () => new Response(long, { status: 201 }) }))).toEqual([201, long]);
    expect(await seen(await receive())).toEqual([201, ""]);
    const shorter = receiver();
    for (const _ of [1, 2])
      expect((await seen(await shorter.receive({ answer: () => new Response(long.slice(1)) })))[1]).toBe(long.slice(1));
  });

  it.each([
    ["throws", failing],
    ["answers 500", () => new Response("later", { status: 500 })],
    ["answers 503", () => new Response("later", { status: 503 })],
  ])("are handled again if the handling before %s", async (_, answer) => {
    const { receive, handled } = receiver();
    await receive({ answer }).catch(() => {});
    expect(await seen(await receive())).toEqual([200, "handling 2"]);
    expect(await seen(await receive())).toEqual([200, "handling 2"]);
    expect(handled()).toBe(2);
  });

  it("that wait are handled if the handling before throws", async () => {
    const { receive, handled } = receiver();
    const first = expect(receive({ takesMs: 1000, answer: failing })).rejects.toThrow("database down");
    await vi.advanceTimersByTimeAsync(0);
    const copy = await after(receive());
    await first;
    expect([await copy.text(), handled()]).toEqual(["handling 2", 2]);
  });
});

describe("the lease of an event", () => {
  it("is extended while the handling takes longer", async () => {
    const { receive, handled, store } = receiver();
    const first = receive({ takesMs: 7000 });
    await vi.advanceTimersByTimeAsync(6900);
    expect(await store.claim(key, "another", 2000)).toEqual({ state: "in_progress" });
    await vi.advanceTimersByTimeAsync(200);
    expect(await (await first).text()).toBe("handling 1");
    expect(handled()).toBe(1);
  });

  it.each([
    ["fails", () => Promise.reject(new Error("connection lost"))],
    ["hangs", () => never],
  ])("is extended again after an extension that %s", async (_, extension) => {
    const store = memoryStore();
    const claim = vi.fn(store.claim).mockImplementationOnce(store.claim).mockImplementationOnce(extension);
    const { receive, report } = receiver(storeWith({ claim }, store));
    const first = receive({ takesMs: 2600 });
    await vi.advanceTimersByTimeAsync(2500);
    expect(await store.claim(key, "another", 2000)).toEqual({ state: "in_progress" });
    expect(await (await after(first)).text()).toBe("handling 1");
    expect(report).not.toHaveBeenCalled();
  });

  it("is no longer extended after 60 seconds, so that a handling that never ends does not keep the event", async () => {
    const { receive, store } = receiver();
    void receive({ takesMs: 1_000_000 });
    await vi.advanceTimersByTimeAsync(61_000);
    expect(await store.claim(key, "another", 2000)).toEqual({ state: "in_progress" });
    await vi.advanceTimersByTimeAsync(2000);
    expect(await store.claim(key, "another", 2000)).toEqual({ state: "claimed" });
  });

  it("is not taken again by a slow extension when the handling has failed", async () => {
    const store = memoryStore();
    const slow: EventStore["claim"] = async (...step) => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      return store.claim(...step);
    };
    // The first extension arrives after the second one.
    const claim = vi.fn(store.claim).mockImplementationOnce(store.claim).mockImplementationOnce(slow);
    const { receive } = receiver(storeWith({ claim }, store));
    const first = expect(receive({ takesMs: 1400, answer: failing })).rejects.toThrow("database down");
    await vi.advanceTimersByTimeAsync(1600);
    await first;
    expect(await store.claim(key, "another", 2000)).toEqual({ state: "claimed" });
  });

  it("ends after a crash, and a waiting copy is handled", async () => {
    const { receive, report, handled, store } = receiver();
    await store.claim(key, "a process that has crashed", 2000);
    const copy = receive();
    await vi.advanceTimersByTimeAsync(1900);
    expect(handled()).toBe(0);
    expect(await (await after(copy)).text()).toBe("handling 1");
    expect(report).not.toHaveBeenCalled();
  });
});

describe("a process that stalls for longer than its lease", () => {
  /** A process whose extensions never arrive. */
  function stalled(store: EventStore): EventStore {
    let claims = 0;
    return storeWith(
      {
        claim(...step) {
          claims += 1;
          return claims > 1 && claims < 5 ? never : store.claim(...step);
        },
      },
      store,
    );
  }

  it("sends the answer that another process has stored, and reports that the event was handled twice", async () => {
    const { receive, report, store } = receiver();
    const first = receive({ takesMs: 2500, settings: { store: stalled(store) } });
    await vi.advanceTimersByTimeAsync(2100);
    expect(await (await receive()).text()).toBe("handling 2");
    expect(await (await after(first)).text()).toBe("handling 2");
    const message =
      `The event ${key} was handled twice: its lease ran out before it was extended, or the event store failed. ` +
      "The response stored first was sent.";
    expect(report).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message, code: "handled_twice" }));
  });

  it("reads an answer of the store that arrived meanwhile, before it counts the step as failed", async () => {
    vi.useRealTimers();
    const store = memoryStore();
    const done = await receiver(store).receive();
    const stall = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    // Due timers run between the two turns, as they do before Node reads what has arrived during a stall.
    const claim: EventStore["claim"] = async (...step) => {
      await new Promise((resolve) => {
        setImmediate(() => {
          setImmediate(resolve);
          stall();
        });
      });
      return store.claim(...step);
    };
    const { receive, report } = receiver(storeWith({ claim }, store));
    const copy = await receive({ settings: { storeTimeoutMs: 600 }, answer: () => new Response("handled again") });
    expect(await copy.text()).toBe(await done.text());
    expect(report).not.toHaveBeenCalled();
  });

  it("claims the event again if its lease ran out before it received it", async () => {
    const store = memoryStore();
    const claim = vi.fn(store.claim).mockImplementationOnce(async (...step) => {
      const claimed = await store.claim(...step);
      await new Promise((resolve) => setTimeout(resolve, 2500));
      return claimed;
    });
    const { receive, handled } = receiver(store);
    const first = receive({ settings: { store: storeWith({ claim }, store), storeTimeoutMs: 5000 } });
    await vi.advanceTimersByTimeAsync(2100);
    expect(await (await receive()).text()).toBe("handling 1");
    expect(await (await after(first)).text()).toBe("handling 1");
    expect(handled()).toBe(1);
  });

  it("waits for the answer of another process that still handles the event", async () => {
    const { receive, store } = receiver();
    const first = receive({ takesMs: 2500, settings: { store: stalled(store) } });
    await vi.advanceTimersByTimeAsync(2100);
    const second = receive({ takesMs: 3000 });
    expect(await (await after(first)).text()).toBe("handling 2");
    expect(await (await second).text()).toBe("handling 2");
  });

  it("sends and stores its own answer if the other process failed", async () => {
    const { receive, store } = receiver();
    const first = receive({ takesMs: 2500, settings: { store: stalled(store) } });
    await vi.advanceTimersByTimeAsync(2100);
    const second = expect(receive({ takesMs: 3000, answer: failing })).rejects.toThrow("database down");
    expect(await (await after(first)).text()).toBe("handling 1");
    await second;
    expect(await (await receive()).text()).toBe("handling 1");
  });

  it("sends and stores its own answer if nothing else happened meanwhile", async () => {
    const { receive, report, store } = receiver();
    const first = receive({ takesMs: 2500, settings: { store: stalled(store) } });
    expect(await (await after(first)).text()).toBe("handling 1");
    expect(await (await receive()).text()).toBe("handling 1");
    expect(report).not.toHaveBeenCalled();
  });
});

describe("a store that fails", () => {
  const down = new Error("connection refused");
  const broken: EventStore = { claim: () => Promise.reject(down), complete: failing, release: failing };

  it("does not keep events from being handled", async () => {
    const { receive, report } = receiver(broken);
    expect(await (await after(receive(), 100)).text()).toBe("handling 1");
    expect(await (await after(receive(), 100)).text()).toBe("handling 2");
    expect(report).toHaveBeenCalledWith(down);
  });

  it("keeps events from being handled if that is asked for, with the cause", async () => {
    const { receive, handled } = receiver(broken);
    const refused = receive({ settings: { onStoreError: "reject" } });
    await expect(refused).rejects.toMatchObject({ status: 503, headers: { "retry-after": "1" }, cause: down });
    expect(handled()).toBe(0);
  });

  it("counts as failed when it does not answer within a second", async () => {
    const { receive, report, codes } = receiver(storeWith({ claim: () => never }));
    expect(await (await after(receive(), 1000)).text()).toBe("handling 1");
    const message = "The event store did not answer within 1000 ms.";
    expect(report).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message }));
    expect(codes[0]).toBe("store_timeout");
  });

  it.each([
    ["no state", undefined],
    ["an unknown state", { state: "taken" }],
  ])("is reported when claim returns %s", async (_, claim) => {
    const { receive, report } = receiver(storeWith({ claim: async () => claim as never }));
    expect((await receive()).status).toBe(200);
    expect(report).toHaveBeenCalledExactlyOnceWith(
      new TypeError("claim() of the event store must return a state of claimed, in_progress, completed."),
    );
  });

  it("does not change the answer of a handled event when it cannot store it", async () => {
    const { receive, report, handled, codes } = receiver(storeWith({ complete: () => Promise.reject(down) }));
    const settings = { onStoreError: "reject" } as const;
    expect(await (await after(receive({ settings }))).text()).toBe("handling 1");
    expect([report.mock.calls, codes, handled()]).toEqual([[[down]], ["store_failed"], 1]);
  });

  it("stores the answer when it works again within a second", async () => {
    const store = memoryStore();
    const complete: EventStore["complete"] = (...step) =>
      Date.now() < upAt ? Promise.reject(down) : store.complete(...step);
    const upAt = Date.now() + 800;
    const { receive, report } = receiver(storeWith({ complete }, store));
    expect(await (await after(receive())).text()).toBe("handling 1");
    expect(await (await receive()).text()).toBe("handling 1");
    expect(report).not.toHaveBeenCalled();
  });

  it("is asked once more before the answer when it was down from the start", async () => {
    const complete = vi.fn(() => Promise.reject(down));
    const { receive } = receiver({ ...broken, complete });
    expect(await (await after(receive(), 50)).text()).toBe("handling 1");
    expect(complete).toHaveBeenCalledTimes(2);
  });

  it("does not change the answer when it has stored it but says that it failed", async () => {
    const store = memoryStore();
    const complete = vi.fn(store.complete).mockImplementationOnce(async (...step) => {
      await store.complete(...step);
      throw down;
    });
    const { receive, report } = receiver(storeWith({ complete }, store));
    const answer = () => new Response("own", { headers: { "x-line": "7" } });
    expect((await after(receive({ answer }))).headers.get("x-line")).toBe("7");
    expect(report).not.toHaveBeenCalled();
  });

  it("does not change the answer when it cannot release an event", async () => {
    const store = memoryStore();
    const release = vi.fn(store.release).mockRejectedValue(down);
    const { receive, report, codes } = receiver(storeWith({ release }, store));
    const busy = await receive({ answer: () => new Response("busy", { status: 503 }) });
    expect([busy.status, report.mock.calls, codes]).toEqual([503, [[down]], ["store_failed"]]);
    // The lease runs out by itself.
    await vi.advanceTimersByTimeAsync(60_000);
    expect(release).toHaveBeenCalledTimes(1);
  });

  it("makes an event busy if it refuses the answer while another owner has the event for long", async () => {
    let claims = 0;
    const claim: EventStore["claim"] = async () => {
      claims += 1;
      return { state: claims === 1 ? "claimed" : "in_progress" };
    };
    const { receive, report } = receiver(storeWith({ claim, complete: async () => false }));
    await expect(after(receive())).rejects.toMatchObject({ status: 503, code: "duplicate_timeout" });
    expect(report).not.toHaveBeenCalled();
  });

  it("and is slow keeps no copy waiting for much longer than duplicateWaitMs", async () => {
    const claim: EventStore["claim"] = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return { state: "in_progress" };
    };
    const { receive } = receiver(storeWith({ claim }));
    let code: unknown;
    receive().catch((error) => {
      code = error.code;
    });
    await vi.advanceTimersByTimeAsync(9000);
    expect(code).toBe("duplicate_timeout");
  });

  it("does not delay the answer by a report that never ends", async () => {
    const { receive, report } = receiver(storeWith({ release: () => Promise.reject(down) }));
    report.mockReturnValue(never);
    const busy = await receive({ answer: () => new Response("busy", { status: 503 }) });
    expect(busy.status).toBe(503);
  });

  it("does not delay the answer for ever by refusing it although no other owner has the event", async () => {
    const { receive, report, handled } = receiver(storeWith({ complete: async () => false }));
    expect(await seen(await after(receive()))).toEqual([200, "handling 1"]);
    expect(handled()).toBe(1);
    const message = "complete() of the event store must return true.";
    expect(report.mock.calls).toEqual([[new TypeError(message)]]);
  });

  it("is asked again by a copy that waits", async () => {
    const store = memoryStore();
    const { receive, handled } = receiver(store);
    const first = receive({ takesMs: 1000 });
    await vi.advanceTimersByTimeAsync(0);
    const claim = vi.fn(store.claim).mockImplementationOnce(store.claim).mockRejectedValueOnce(down);
    const copy = receive({ settings: { store: storeWith({ claim }, store), onStoreError: "reject" } });
    expect(await (await after(copy)).text()).toBe("handling 1");
    expect([await (await first).text(), handled()]).toEqual(["handling 1", 1]);
  });
});
