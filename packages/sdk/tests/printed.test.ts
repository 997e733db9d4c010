// What a person sees who set nothing up: the lines on the console.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createWebhookHandler, signWebhook, toNodeHandler, type WebhookHandlerOptions } from "../src/webhooks.ts";
import { clientOf, json, problem, type Step } from "./test-server.ts";

const printed = () => {
  const lines: string[] = [];
  for (const level of ["warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => lines.push(`${level} ${line}`));
  return lines;
};

const roles = () => json(200, { roles: [] });

describe("what is printed without a logger", () => {
  const clockAt = (time: { ms: number }) => ({
    now: () => time.ms,
    setTimeout: (run: () => void, ms: number) => ms < 60_000 && run(),
    clearTimeout: () => {},
  });
  const call = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
  const lost = () => json(502, {});

  it("is one line a cause and a minute, with how many were left out", async () => {
    const lines = printed();
    const time = { ms: 0 };
    const failing = (status: number) => [json(status, {}), roles()];
    const script = [...failing(500), ...failing(500), ...failing(503), ...failing(500), ...failing(500)];
    const { client } = clientOf(script, { clock: clockAt(time), random: () => 0 });
    const copy = client.withOptions({ accountId: "b" });
    await client.roles.list();
    await copy.roles.list();
    await client.roles.list();
    time.ms = 59_999;
    await client.roles.list();
    time.ms = 60_000;
    await copy.roles.list();
    expect(lines).toEqual([
      "warn call-transfer: listRoles attempt 1 answered 500 in 0 ms; retried in 250 ms",
      "warn call-transfer: listRoles attempt 1 answered 503 in 0 ms; retried in 250 ms",
      "warn call-transfer: listRoles attempt 1 answered 500 in 0 ms; retried in 250 ms (and 2 more since the last such line)",
    ]);
  });

  it("is at most 100 lines a minute, however many causes there are", async () => {
    const lines = printed();
    const script = Array.from({ length: 150 }, (_, index) => [problem(500, `code_${index}`), roles()]).flat();
    const { client } = clientOf(script, { clock: clockAt({ ms: 0 }), random: () => 0, retry: { budget: false } });
    for (let request = 0; request < 150; request += 1) await client.roles.list();
    expect(lines).toHaveLength(100);
  });

  it.each<[string, string, Step[], string[]]>([
    [
      "a notice that an operation ends",
      "list",
      [json(200, { roles: [] }, { sunset: "Sat, 01 May 2027 00:00:00 GMT" })],
      ["warn call-transfer: listRoles will stop working on Sat, 01 May 2027 00:00:00 GMT"],
    ],
    [
      "a lost placement",
      "call",
      [lost(), lost()],
      [expect.stringMatching(/^error call-transfer: createCall may have been carried out\. Call reconcile\(\)/)],
    ],
  ])("is one line for %s, also if it comes again", async (_, what, script, expected) => {
    const lines = printed();
    const { client } = clientOf([...script, ...script], { clock: clockAt({ ms: 0 }) });
    for (let request = 0; request < 2; request += 1)
      await (what === "call" ? client.calls.create(call) : client.roles.list()).result();
    expect(lines).toEqual(expected);
  });

  it("is nothing with logLevel off, and all of it goes to a logger", async () => {
    const lines = printed();
    const seen: string[] = [];
    const log = (line: string) => seen.push(line);
    const logger = { debug: () => {}, info: log, warn: log, error: log };
    const script = () => [json(500, {}), roles(), json(500, {}), roles(), lost(), lost()];
    for (const options of [{ logLevel: "off" as const }, { logger }]) {
      const { client } = clientOf(script(), { clock: clockAt({ ms: 0 }), random: () => 0, ...options });
      for (let request = 0; request < 2; request += 1) await client.roles.list();
      for (let request = 0; request < 2; request += 1) await client.calls.create(call).result();
    }
    expect(lines).toEqual([]);
    expect(seen).toHaveLength(4);
  });

  it.each(["a browser", "a Worker"])("is printed in %s as well", async (where) => {
    if (where === "a browser") vi.stubGlobal("document", {});
    else vi.stubGlobal("process", undefined);
    const lines = printed();
    const options = { clock: clockAt({ ms: 0 }), random: () => 0, allowApiKeyInBrowser: true };
    await clientOf([json(500, {}), roles()], options).client.roles.list();
    expect(lines).toHaveLength(1);
  });
});

describe("a webhook receiver without onError", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse("2026-03-02T12:00:00Z"), toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const secret = "whsec-printed-secret";
  const body = JSON.stringify({ type: "transfer.offer", id: "evt_1" });
  const signed = async (init: RequestInit = {}, at = Date.now()) =>
    new Request("https://receiver.example.com/offers", {
      ...{ method: "POST", body, headers: { "Service-Signature": await signWebhook(body, { secret, at }) } },
      ...init,
    });
  const failing = async () => {
    throw new Error("ECONNREFUSED 10.0.0.7:6379");
  };
  const secretsOnce = () => {
    let reads = 0;
    return () => (reads++ === 0 ? secret : failing());
  };
  const minutes = (count: number) => count * 60_000;

  const refused = "call-transfer: refused a webhook:";
  const kinds: [string, string, Partial<WebhookHandlerOptions>, RequestInit, age: number, line: string][] = [
    [
      "a request that is no webhook",
      "warmed up",
      {},
      { method: "PUT" },
      0,
      "call-transfer: refused a request: Webhooks are sent by POST.",
    ],
    [
      "a signature that does not match",
      "cold",
      { secret: "another-secret" },
      {},
      0,
      `${refused} No signature matches. Check the destination's secret, and that the body is unchanged. If the platform sent it, its event was not handled.`,
    ],
    [
      "a signature of another time",
      "cold",
      {},
      {},
      minutes(10),
      `${refused} The signature is 600 s old, more than 300 s. Check the clocks. If the platform sent it, its event was not handled.`,
    ],
    [
      "a function for the secret that fails",
      "warmed up",
      { secret: secretsOnce() },
      {},
      0,
      "call-transfer: the function for secret failed: ECONNREFUSED 10.0.0.7:6379. Fix it. Until then, the secrets that it returned last remain in use.",
    ],
    [
      "an event store that fails",
      "cold",
      { store: { claim: failing, complete: failing, release: failing } },
      {},
      0,
      "call-transfer: the event store failed: ECONNREFUSED 10.0.0.7:6379. Check the store. Until it works, onStoreError decides what happens to events.",
    ],
    [
      "an event store that fails, where that refuses events",
      "cold",
      { store: { claim: failing, complete: failing, release: failing }, onStoreError: "refuse" },
      {},
      0,
      "call-transfer: the event store failed: The webhook cannot be handled now. Send it again. (ECONNREFUSED 10.0.0.7:6379) Check the store. Until it works, onStoreError decides what happens to events.",
    ],
    [
      "onEvent that throws",
      "cold",
      { onEvent: failing },
      {},
      0,
      "call-transfer: onEvent failed: ECONNREFUSED 10.0.0.7:6379. The sender gets no details. Fix onEvent: a copy of the event is handled again.",
    ],
  ];

  it.each(kinds)("prints one line for %s, however often it happens", async (_, start, options, init, age, line) => {
    const lines = printed();
    const handle = createWebhookHandler({ secret, onEvent: () => {}, ...options });
    if (start === "warmed up") await handle(await signed());
    for (let copy = 0; copy < 3; copy += 1) await handle(await signed(init, Date.now() - age));
    expect(lines).toEqual([`error ${line}`]);
  });

  it("prints one line for a response that cannot be sent", async () => {
    const lines = printed();
    const handle = toNodeHandler(createWebhookHandler({ secret, onEvent: () => {} }));
    const headers = { "Service-Signature": await signWebhook(body, { secret }) };
    const response = {
      statusCode: 0,
      headersSent: true,
      setHeader: () => {},
      end: () => {
        throw new Error("write after end");
      },
    };
    await handle({ method: "POST", headers, body }, response);
    expect(lines).toEqual([
      "error call-transfer: the response could not be sent: write after end. The event was handled. Check the server and its timeouts.",
    ]);
  });

  it("prints a cause again after a minute, with how often it happened meanwhile", async () => {
    const lines = printed();
    const handle = createWebhookHandler({ secret: "another-secret", onEvent: () => {} });
    for (const at of [0, 1000, 59_999, 60_000]) {
      vi.setSystemTime(at);
      await handle(await signed());
    }
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/ \(and 2 more since the last such line\)$/);
  });

  it("prints nothing with onError", async () => {
    const lines = printed();
    const onError = vi.fn();
    const handle = createWebhookHandler({ secret: "another-secret", onEvent: () => {}, onError });
    for (let copy = 0; copy < 3; copy += 1) await handle(await signed());
    expect(lines).toEqual([]);
    expect(onError).toHaveBeenCalledTimes(3);
  });
});
