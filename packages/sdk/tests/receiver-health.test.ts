// What an operator learns: codes of errors, a clock that is off, readiness, counts.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createWebhookHandler,
  type EventStore,
  memoryEventStore,
  signWebhook,
  type WebhookHandlerOptions,
} from "../src/webhooks.ts";

const secret = "whsec-health";
const minuteMs = 60_000;
const at = Date.parse("2026-03-02T12:00:00Z");

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function receiverOf(options: Partial<WebhookHandlerOptions> = {}) {
  const reports: { readonly code: string; readonly message: string }[] = [];
  const counted: string[] = [];
  const clock = { nowMs: at };
  let sent = 0;
  const receive = createWebhookHandler({
    ...{ secret, clock: { now: () => clock.nowMs }, onEvent() {} },
    onError: (error, code) => void reports.push({ code, message: error instanceof Error ? error.message : "" }),
    instrumentation: { webhook: (result) => void counted.push(result) },
    ...options,
  });
  const deliver = async (signedAt = at, init: RequestInit = {}): Promise<number> => {
    sent += 1;
    const body = JSON.stringify({ type: "transfer.offer", id: `evt_${sent}` });
    const headers = { "Service-Signature": await signWebhook(body, { secret, at: signedAt }) };
    const request = new Request("http://localhost/", { method: "POST", headers, body, ...init });
    return (await receive(request)).status;
  };
  return { receive, deliver, clock, reports, counted, codes: () => reports.map(({ code }) => code) };
}

describe("a receiver without a clock of its own", () => {
  it("reads the time that a test sets after it was created, for signatures and for what it keeps", async () => {
    vi.useRealTimers();
    const handled = vi.fn();
    const receive = createWebhookHandler({ secret, onEvent: handled });
    const body = '{"type":"transfer.offer","id":"evt_1"}';
    const statuses: number[] = [];
    for (const day of [1, 1, 3]) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(`2032-02-0${day}T12:00:00Z`) });
      const headers = { "Service-Signature": await signWebhook(body, { secret, at: Date.now() }) };
      statuses.push((await receive(new Request("http://localhost/", { method: "POST", headers, body }))).status);
    }
    expect(statuses).toEqual([204, 204, 204]);
    expect(handled).toHaveBeenCalledTimes(2);
  });
});

describe("onError receives the code", () => {
  const signed = async (body: string) => ({ "Service-Signature": await signWebhook(body, { secret, at }) });

  it.each<[string, RequestInit | (() => Promise<RequestInit>)]>([
    ["bad_header", { headers: {} }],
    ["no_match", { body: "changed" }],
    ["bad_event", async () => ({ body: "[]", headers: await signed("[]") })],
    ["too_large", { body: "x".repeat(1024 * 1024 + 1) }],
    ["bad_request", { method: "PUT" }],
  ])("%s", async (code, init) => {
    const { deliver, codes } = receiverOf();
    await deliver(at, typeof init === "function" ? await init() : init);
    expect(codes()).toEqual([code]);
  });

  it.each<[string, Partial<WebhookHandlerOptions>]>([
    ["stale", { clock: { now: () => at + 6 * minuteMs } }],
    ["clock_skew", { clock: { now: () => Number.NaN } }],
    ["secrets_failed", { secret: () => Promise.reject(new Error("vault sealed")) }],
    ["event_failed", { onEvent: () => Promise.reject(new Error("database down")) }],
    ["event_failed", { onEvent: () => "yes" as never }],
  ])("%s of options", async (code, options) => {
    const { deliver, codes } = receiverOf(options);
    await deliver();
    expect(codes()).toEqual([code]);
  });

  it("duplicate", async () => {
    const { receive, codes } = receiverOf({ duplicates: "refuse" });
    const body = '{"type":"transfer.offer"}';
    for (const status of [204, 409]) {
      const request = new Request("http://localhost/", { method: "POST", headers: await signed(body), body });
      expect((await receive(request)).status).toBe(status);
    }
    expect(codes()).toEqual(["duplicate"]);
  });

  it("bad_body", async () => {
    const { receive, codes } = receiverOf();
    const request = new Request("http://localhost/", { method: "POST", body: "{}" });
    await request.text();
    expect((await receive(request)).status).toBe(500);
    expect(codes()).toEqual(["bad_body"]);
  });
});

describe("a clock that is off", () => {
  it("is reported after five genuine webhooks in a row, once a minute", async () => {
    const { deliver, clock, reports, codes } = receiverOf();
    clock.nowMs = at + 10 * minuteMs;
    for (let sent = 0; sent < 4; sent += 1) expect(await deliver(at + sent * 1000)).toBe(400);
    expect(codes()).toEqual(["stale", "stale", "stale", "stale"]);
    for (let sent = 4; sent < 10; sent += 1) await deliver(at + sent * 1000);
    expect(codes().filter((code) => code === "clock_skew")).toHaveLength(1);
    expect(reports.find(({ code }) => code === "clock_skew")?.message).toBe(
      "The last 5 genuine webhooks were signed at times 596 s behind this machine's clock. Check this machine's clock.",
    );
    await vi.advanceTimersByTimeAsync(minuteMs);
    await deliver(at + 10_000);
    expect(codes().filter((code) => code === "clock_skew")).toHaveLength(2);
  });

  it("says so if it is behind", async () => {
    const { deliver, clock, reports } = receiverOf();
    clock.nowMs = at - 10 * minuteMs;
    for (let sent = 0; sent < 5; sent += 1) await deliver(at + sent * 1000);
    expect(reports.at(-2)?.message ?? "").toContain("604 s ahead of this machine's clock");
  });

  it.each([
    ["one webhook that is repeated", () => at],
    ["old webhooks of different times", (sent: number) => at - sent * minuteMs],
  ])("is not suspected because of %s", async (_, signedAt) => {
    const { deliver, clock, codes } = receiverOf();
    clock.nowMs = at + 10 * minuteMs;
    for (let sent = 0; sent < 20; sent += 1) await deliver(signedAt(sent));
    expect(new Set(codes())).toEqual(new Set(["stale"]));
  });

  it("is seen by the last five, whatever came before", async () => {
    const { deliver, clock, codes } = receiverOf();
    clock.nowMs = at + 10 * minuteMs;
    for (const sentAt of [-60 * minuteMs, 0, 1000, 2000, 3000, 4000]) await deliver(at + sentAt);
    expect(codes()).toContain("clock_skew");
  });

  it("is not suspected because of forgeries", async () => {
    const { deliver, clock, codes } = receiverOf();
    clock.nowMs = at + 10 * minuteMs;
    for (let sent = 0; sent < 10; sent += 1) {
      const headers = { "Service-Signature": await signWebhook("{}", { secret: "another", at: at + sent * 1000 }) };
      await deliver(at, { headers });
    }
    expect(new Set(codes())).toEqual(new Set(["no_match"]));
  });

  it("is not suspected while genuine webhooks are accepted", async () => {
    const { deliver, clock, codes } = receiverOf();
    clock.nowMs = at + 10 * minuteMs;
    for (let sent = 0; sent < 20; sent += 1) {
      await deliver(at + sent * 1000);
      if (sent % 3 === 0) expect(await deliver(clock.nowMs)).toBe(204);
    }
    expect(codes()).not.toContain("clock_skew");
  });
});

describe("checkReady", () => {
  it("is ready with a store that works, and leaves nothing in it", async () => {
    const store = memoryEventStore();
    const claim = vi.fn(store.claim);
    const { receive } = receiverOf({ store: { ...store, claim } });
    expect(await receive.checkReady()).toEqual({ isReady: true, problems: [] });
    const [key = ""] = claim.mock.calls[0] ?? [];
    expect(key).toMatch(/^default:check:/);
    expect(await store.claim(key, "another", 1000)).toEqual({ state: "mine" });
  });

  const down = () => Promise.reject(new Error("connection refused"));
  const hangs = () => new Promise<never>(() => {});
  it.each<[string, EventStore["claim"], string]>([
    ["fails", down, "store_failed"],
    ["hangs", hangs, "store_timeout"],
    ["returns nonsense", async () => undefined as never, "store_failed"],
  ])("is not ready with a store that %s", async (_, claim, code) => {
    const { receive } = receiverOf({ store: { ...memoryEventStore(), claim } });
    const checked = receive.checkReady();
    await vi.advanceTimersByTimeAsync(3000);
    expect(await checked).toMatchObject({ isReady: false, problems: [{ code }] });
  });

  it("is not ready while the clock is off, and again as soon as a webhook is accepted", async () => {
    const { receive, deliver, clock } = receiverOf();
    clock.nowMs = at + 10 * minuteMs;
    for (let sent = 0; sent < 5; sent += 1) await deliver(at + sent * 1000);
    expect((await receive.checkReady()).problems.map(({ code }) => code)).toEqual(["clock_skew"]);
    expect(await deliver(clock.nowMs)).toBe(204);
    expect((await receive.checkReady()).isReady).toBe(true);
  });
});

describe("without onError, the console", () => {
  const printed = async (work: (receiver: ReturnType<typeof receiverOf>) => Promise<unknown>, options = {}) => {
    const lines: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line) => lines.push(line));
    await work(receiverOf({ ...options, onError: undefined } as never));
    return lines;
  };

  it("gets a line for a webhook without a signature", async () => {
    const lines = await printed(({ deliver }) => deliver(at, { headers: {} }));
    expect(lines).toEqual([expect.stringMatching(/^call-transfer: refused a webhook: /)]);
  });

  it("gets one line a minute for old webhooks, and one for the clock", async () => {
    const lines = await printed(async ({ deliver, clock }) => {
      clock.nowMs = at + 10 * minuteMs;
      for (let sent = 0; sent < 5; sent += 1) await deliver(at + sent * 1000);
    });
    expect(lines.map((line) => line.split(": ")[1])).toEqual(["refused a webhook", "warning"]);
  });

  it("gets a warning when the store forgets", async () => {
    const lines = await printed(
      async ({ deliver }) => {
        await deliver();
        await deliver();
      },
      { store: memoryEventStore({ maxEvents: 1, clock: { now: () => at } }) },
    );
    expect(lines).toEqual([
      expect.stringMatching(
        /^call-transfer: warning: The event store forgot answers before keepMs was over \(1 so far\)/,
      ),
    ]);
  });
});

describe("instrumentation", () => {
  it("counts what was handled, what was a copy, and codes", async () => {
    const { deliver, receive, counted } = receiverOf();
    await deliver();
    const body = '{"type":"transfer.offer","id":"evt_1"}';
    const headers = { "Service-Signature": await signWebhook(body, { secret, at }) };
    await receive(new Request("http://localhost/", { method: "POST", headers, body }));
    await deliver(at, { headers: {} });
    expect(counted).toEqual(["handled", "repeated", "bad_header"]);
  });

  it("counts a 5xx of onEvent as handled", async () => {
    const { deliver, counted } = receiverOf({ onEvent: () => new Response("", { status: 503 }) });
    await deliver();
    expect(counted).toEqual(["handled"]);
  });

  it("cannot break a webhook", async () => {
    const webhook = () => {
      throw new Error("metrics broke");
    };
    expect(await receiverOf({ instrumentation: { webhook } }).deliver()).toBe(204);
  });
});
