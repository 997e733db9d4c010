// What an operator learns: codes of errors, a clock that is off, readiness, counts.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createWebhookHandler, type EventStore, signWebhook, type WebhookHandlerOptions } from "../src/webhooks.ts";
import { memoryStore } from "./memory-store.ts";

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
    instrumentation: { recordWebhook: (result) => void counted.push(result) },
    ...options,
  });
  const deliver = async (signedAt = at, init: RequestInit = {}): Promise<number> => {
    sent += 1;
    const body = JSON.stringify({ type: "transfer.offer", id: `evt_${sent}` });
    const headers = { "Service-Signature": await signWebhook(body, { secret, timestampMs: signedAt }) };
    const request = new Request("http://localhost/", { method: "POST", headers, body, ...init });
    return (await receive(request)).status;
  };
  return { receive, deliver, clock, reports, counted, codes: () => reports.map(({ code }) => code) };
}

describe("a receiver without a clock of its own", () => {
  it("reads the time that a test sets after it was created", async () => {
    vi.useRealTimers();
    const receive = createWebhookHandler({ secret, onEvent() {} });
    const body = '{"type":"transfer.offer","id":"evt_1"}';
    const statuses: number[] = [];
    for (const day of [1, 3]) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(`2032-02-0${day}T12:00:00Z`) });
      const headers = { "Service-Signature": await signWebhook(body, { secret, timestampMs: Date.now() }) };
      statuses.push((await receive(new Request("http://localhost/", { method: "POST", headers, body }))).status);
    }
    expect(statuses).toEqual([204, 204]);
  });
});

describe("onError receives the code", () => {
  const signed = async (body: string) => ({
    "Service-Signature": await signWebhook(body, { secret, timestampMs: at }),
  });

  it.each<[string, RequestInit | (() => Promise<RequestInit>)]>([
    ["invalid_signature_header", { headers: {} }],
    ["signature_mismatch", { body: "changed" }],
    ["invalid_event", async () => ({ body: "[]", headers: await signed("[]") })],
    ["body_too_large", { body: "x".repeat(1024 * 1024 + 1) }],
    ["invalid_request", { method: "PUT" }],
  ])("%s", async (code, init) => {
    const { deliver, codes } = receiverOf();
    await deliver(at, typeof init === "function" ? await init() : init);
    expect(codes()).toEqual([code]);
  });

  it.each<[string, Partial<WebhookHandlerOptions>]>([
    ["timestamp_out_of_tolerance", { clock: { now: () => at + 6 * minuteMs } }],
    ["timestamp_out_of_tolerance", { clock: { now: () => Number.NaN } }],
    ["secret_lookup_failed", { secret: () => Promise.reject(new Error("vault sealed")) }],
    ["handler_failed", { onEvent: () => Promise.reject(new Error("database down")) }],
    ["handler_failed", { onEvent: () => "yes" as never }],
  ])("%s of options", async (code, options) => {
    const { deliver, codes } = receiverOf(options);
    await deliver();
    expect(codes()).toEqual([code]);
  });

  it("body_already_read", async () => {
    const { receive, codes } = receiverOf();
    const request = new Request("http://localhost/", { method: "POST", body: "{}" });
    await request.text();
    expect((await receive(request)).status).toBe(500);
    expect(codes()).toEqual(["body_already_read"]);
  });
});

describe("checkReadiness", () => {
  it("is ready with a store that works, and leaves nothing in it", async () => {
    const store = memoryStore();
    const claim = vi.fn(store.claim);
    const { receive } = receiverOf({ store: { ...store, claim } });
    expect(await receive.checkReadiness()).toEqual({ ready: true, problems: [] });
    const [key = ""] = claim.mock.calls[0] ?? [];
    expect(key).toMatch(/^check:/);
    expect(await store.claim(key, "another", 1000)).toEqual({ state: "claimed" });
  });

  const down = () => Promise.reject(new Error("connection refused"));
  const hangs = () => new Promise<never>(() => {});
  it.each<[string, EventStore["claim"], string]>([
    ["fails", down, "store_failed"],
    ["hangs", hangs, "store_timeout"],
    ["returns nonsense", async () => undefined as never, "store_failed"],
  ])("is not ready with a store that %s", async (_, claim, code) => {
    const { receive } = receiverOf({ store: { ...memoryStore(), claim } });
    const checked = receive.checkReadiness();
    await vi.advanceTimersByTimeAsync(3000);
    expect(await checked).toMatchObject({ ready: false, problems: [{ code }] });
  });
});

describe("without onError, the console", () => {
  const printed = async (work: (receiver: ReturnType<typeof receiverOf>) => Promise<unknown>, options = {}) => {
    const lines: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line) => lines.push(line));
    await work(receiverOf({ ...options, onError: undefined } as never));
    return lines;
  };

  it("gets a warning when responses are evicted early", async () => {
    const lines = await printed(
      async ({ deliver }) => {
        for (let sent = 0; sent < 3; sent += 1) await deliver();
      },
      { maxAnswers: 1 },
    );
    expect(lines).toEqual([expect.stringMatching(/^call-transfer: warning: Responses were evicted/)]);
  });
});

describe("instrumentation", () => {
  it("counts a 5xx of onEvent as handled", async () => {
    const { deliver, counted } = receiverOf({ onEvent: () => new Response("", { status: 503 }) });
    await deliver();
    expect(counted).toEqual(["handled"]);
  });

  it("cannot break a webhook", async () => {
    const recordWebhook = () => {
      throw new Error("metrics broke");
    };
    expect(await receiverOf({ instrumentation: { recordWebhook } }).deliver()).toBe(204);
  });
});
