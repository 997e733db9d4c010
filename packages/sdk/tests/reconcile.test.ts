// The candidates of reconcile(), how far it reads, and the start of its window.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CallTransfer, ConfigurationError, OutcomeUnknownError } from "../src/index.ts";
import { isOtherStart, type WindowFacts, windowOf } from "../src/options/clock.ts";
import type { ClientOptions } from "../src/options/options.ts";
import { createRawClient } from "../src/raw.ts";
import { settle } from "./settle.ts";
import { clientOf, json, networkError, type Step } from "./test-server.ts";

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const start = Date.parse("2026-03-02T12:00:00Z");
const initiated = { type: "initiated", callId: "c" };

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Item {
  id: string;
  direction?: unknown;
  toNumber?: unknown;
}

const page = (calls: readonly Item[], total = calls.length): Response =>
  json(200, { calls: calls.map((one) => ({ duration: 0, ...one })), meta: { total } });

async function unknownOf(answers: Step[], options: Partial<ClientOptions> = {}) {
  const { client, sent } = clientOf([networkError("ECONNRESET"), ...answers], options);
  const error = await settle(client.calls.create(placement));
  if (!(error instanceof OutcomeUnknownError)) throw new Error(`no unknown outcome: ${error}`);
  return { error, sent };
}

const candidatesAmong = async (...items: Omit<Item, "id">[]) => {
  const { error } = await unknownOf([page(items.map((item, index) => ({ id: String(index), ...item })))]);
  const { candidates, complete } = await error.reconcile();
  expect(complete).toBe(true);
  return candidates.map(({ id }) => Number(id));
};

describe("candidates", () => {
  it("are calls that are not known to be inbound", async () => {
    const directions = ["inbound", "outbound", "a-newer-one", undefined, null];
    expect(await candidatesAmong(...directions.map((direction) => ({ direction })))).toEqual([1, 2, 3, 4]);
  });

  it("are calls to the same number, where the list shows numbers", async () => {
    const numbers = ["+15550100002", "+15550100003", undefined, null, "…0003", "15550100003", 15550100003];
    const items = numbers.map((toNumber) => ({ direction: "outbound", toNumber }));
    expect(await candidatesAmong(...items)).toEqual([0, 2, 3, 4, 5, 6]);
  });

  it.each<[string, (client: CallTransfer) => Promise<unknown>]>([
    ["request()", (client) => client.request("POST", "/api/v1/calls", { body: placement })],
    ["createRawClient()", (client) => createRawClient(client).POST("/api/v1/calls", { body: placement })],
  ])("are calls to the same number also after a placement by %s", async (_, place) => {
    const numbers = ["+15550100002", "+15550100003"];
    const list = page(numbers.map((toNumber) => ({ id: toNumber, direction: "outbound", toNumber })));
    const { client } = clientOf([networkError("ECONNRESET"), list]);
    const error = (await settle(place(client))) as OutcomeUnknownError;
    const { candidates } = await error.reconcile();
    expect(candidates.map(({ id }) => id)).toEqual(["+15550100002"]);
  });

  it("let check place a call beside inbound calls, and not beside any other: a list may spell a number otherwise", async () => {
    const inbound = { id: "in", direction: "inbound" };
    const retry = { onUnknownOutcome: "check" } as const;
    const free = clientOf([networkError("ECONNRESET"), page([inbound]), json(201, initiated)], { retry });
    expect(await settle(free.client.calls.create(placement))).toEqual(initiated);
    for (const toNumber of [placement.toNumber, "+5550100002", "+15550100003"]) {
      const list = page([inbound, { id: "out", direction: "outbound", toNumber }]);
      const blocked = clientOf([networkError("ECONNRESET"), list], { retry });
      expect(await settle(blocked.client.calls.create(placement))).toBeInstanceOf(OutcomeUnknownError);
      expect(blocked.sent).toHaveLength(2);
    }
  });
});

it.each([null, 5, { maxItems: 0 }, { maxItems: Number.NaN }, { maxItems: "9" }, { signal: 5 }, { maxCall: 9 }])(
  "reconcile(%j) is refused before it reads",
  async (given) => {
    const { error, sent } = await unknownOf([]);
    await expect(error.reconcile(given as never)).rejects.toThrow(ConfigurationError);
    expect(sent).toHaveLength(1);
  },
);

describe("the reading of a long list", () => {
  const total = 50_000;
  const pages = (count: number): Step[] =>
    Array.from({ length: count }, (_, index) =>
      page(
        Array.from({ length: 100 }, (_item, item) => ({ id: `${index}-${item}`, direction: "outbound" })),
        total,
      ),
    );

  it.each([
    [undefined, 10],
    [250, 3],
    [1, 1],
  ])("ends with maxItems (%s), and says so", async (maxItems, requests) => {
    const { error, sent } = await unknownOf(pages(requests));
    const { candidates, complete, explanation } = await error.reconcile({ maxItems });
    expect([candidates.length, complete, sent.length]).toEqual([requests * 100, false, 1 + requests]);
    expect(explanation).toContain(`Only the first ${requests * 100} calls since`);
    expect(explanation).toContain("maxItems");
  });

  it("is complete if the list ends where maxItems does", async () => {
    const calls = Array.from({ length: 100 }, (_, item) => ({ id: String(item), direction: "outbound" }));
    const { error } = await unknownOf([page(calls)]);
    expect(await error.reconcile({ maxItems: 100 })).toMatchObject({ complete: true });
  });

  it("blocks check, which never reads further than reconcile() does", async () => {
    const inbound = (index: number) =>
      Array.from({ length: 100 }, (_, n) => ({ id: `${index}-${n}`, direction: "inbound" }));
    const script = [networkError("ECONNRESET"), ...Array.from({ length: 10 }, (_, n) => page(inbound(n), total))];
    const { client, sent } = clientOf(script, { retry: { onUnknownOutcome: "check" } });
    expect(await settle(client.calls.create(placement))).toMatchObject({
      retrySkippedReason: "list_inconclusive",
    });
    expect(sent).toHaveLength(11);
  });

  it("ends when its signal aborts, with what was found", async () => {
    const controller = new AbortController();
    const [first = page([])] = pages(1);
    const { error, sent } = await unknownOf([first, () => new Promise<Response>(() => {})]);
    const reading = error.reconcile({ signal: controller.signal });
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toHaveLength(3);
    controller.abort();
    const { candidates, complete, explanation } = await reading;
    expect([candidates.length, complete]).toEqual([100, false]);
    expect(explanation).toContain("aborted");
  });

  it("sends nothing with a signal that has aborted", async () => {
    const { error, sent } = await unknownOf([]);
    expect(await error.reconcile({ signal: AbortSignal.abort() })).toMatchObject({ candidates: [], complete: false });
    expect(sent).toHaveLength(1);
  });
});

describe("the window", () => {
  const hourMs = 3_600_000;
  /** A placement whose answer is lost after a minute, while the client's clock jumps. */
  async function windowAfter(jumpMs: number, date?: string) {
    let skewMs = 0;
    const clock = {
      now: () => Date.now() + skewMs,
      monotonicNow: () => performance.now(),
      setTimeout: (callback: () => void, delayMs: number) => setTimeout(callback, delayMs),
      clearTimeout: (timer: unknown) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    };
    const lost: Step = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50_000));
      skewMs = jumpMs;
      if (date === undefined) throw networkError("ECONNRESET");
      return new Response(null, { status: 502, headers: { date } });
    };
    const { client } = clientOf([lost], { clock, timeoutMs: 60_000 });
    const error = (await settle(client.calls.create(placement))) as OutcomeUnknownError;
    return { from: Date.parse(error.window.start) - start, to: Date.parse(error.window.end) - start };
  }

  it.each([-hourMs, -20_000, 0, 20_000, hourMs])(
    "begins before the request and ends after it although the clock jumps by %d ms",
    async (jumpMs) => {
      const { from, to } = await windowAfter(jumpMs);
      expect(from).toBeLessThanOrEqual(Math.min(0, jumpMs + 50_000));
      expect(to).toBeGreaterThanOrEqual(Math.max(0, jumpMs + 50_000));
    },
  );
});

/** A moment by clocks that agree. */
const at = (elapsed: number, now = elapsed) => ({ now, elapsed });
/** An answer that shows `date` by the server's clock. */
const answer = (elapsed: number, date: number) => ({ ...at(elapsed), date });

const windowFrom = ({ begun = at(0), ended = begun, before, newest = before }: Partial<WindowFacts>) => {
  const { start, end, byServerClock } = windowOf({ begun, ended, before, newest });
  return [Date.parse(start), Date.parse(end), byServerClock];
};

describe("the window of a lost request", () => {
  it("by a clock of the caller that was set back holds both times of its beginning and end", () => {
    const begun = at(0, 9_000_000);
    expect(windowFrom({ begun, ended: at(5000, 2_000_000) })).toEqual([1_695_000, 9_305_000, false]);
  });

  it("by the server's clock lasts as long as the request", () => {
    const before = answer(0, 1_000_000);
    expect(windowFrom({ before, begun: at(10_000), ended: at(70_000) })).toEqual([1_005_000, 1_075_000, true]);
  });

  it("by the server's clock begins at the earlier of two times if the caller's clocks disagree", () => {
    expect(windowFrom({ before: answer(0, 1_000_000), begun: at(10_000, 20_000) })[0]).toBe(1_005_000);
  });

  it.each([
    ["5 s slower", 15_000, 1_005_000],
    ["more than 5 s slower", 14_999, 1_000_000],
    ["5 s faster", 25_000, 1_010_000],
    ["more than 5 s faster", 25_001, 1_000_000],
  ])("begins by a server's clock that went on %s than the caller's", (_, passedMs, start) => {
    const before = answer(0, 1_000_000);
    const newest = answer(20_000, 1_000_000 + passedMs);
    expect(windowFrom({ before, begun: at(10_000), newest })[0]).toBe(start - 5000);
  });
});

it.each([
  [-1, true],
  [0, false],
  [300_000, false],
  [300_001, true],
])("a list that was read from %i ms before a window is another's: %s", (extraMs, isOther) => {
  const window = { start: new Date(1_000_000 + extraMs).toISOString(), end: "", byServerClock: true };
  expect(isOtherStart(new Date(1_000_000).toISOString(), window)).toBe(isOther);
});
