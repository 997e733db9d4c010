// What a person sees who set nothing up: the lines on the console.
import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutcomeUnknownError } from "../src/errors/outcome-unknown-error.ts";
import { defaultTimeoutMs } from "../src/generated/constants.gen.ts";
import type { ClientOptions } from "../src/options/options.ts";
import {
  createWebhookHandler,
  signWebhook,
  toNodeHandler,
  verifyWebhook,
  type WebhookHandlerOptions,
} from "../src/webhooks.ts";
import { clientOf, json, networkError, problem, type Step } from "./test-server.ts";

const printed = () => {
  const lines: string[] = [];
  for (const level of ["warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line) => lines.push(`${level} ${line}`));
  return lines;
};

const clockAt = (time: { ms: number }) => ({
  now: () => time.ms,
  setTimeout: (run: () => void, ms: number) => ms < defaultTimeoutMs && run(),
  clearTimeout: () => {},
});

const roles = () => json(200, { roles: [] });

describe("what is printed without a logger", () => {
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
      "warn call-transfer: listRoles attempt 1 answered 500 in 0 ms; retried in 250 ms (and 2 more)",
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
      ...{
        method: "POST",
        body,
        headers: { "Service-Signature": await signWebhook(body, { secret, timestampMs: at }) },
      },
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

  const refused = "call-transfer: rejected a webhook:";
  const kinds: [string, string, Partial<WebhookHandlerOptions>, RequestInit, age: number, line: string][] = [
    [
      "a request that is no webhook",
      "warmed up",
      {},
      { method: "PUT" },
      0,
      "call-transfer: rejected a request: Webhooks are sent by POST.",
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
      "a secret that is empty",
      "cold",
      { secret: "" },
      {},
      0,
      "call-transfer: no secret to verify with: secret must be non-empty text without spaces or line breaks around it. Fix it. Until then, offers get a 500.",
    ],
    [
      "a function for the secret that fails",
      "warmed up",
      { secret: secretsOnce() },
      {},
      0,
      "call-transfer: the function for secret failed: ECONNREFUSED 10.0.0.7:6379. Fix it. Until then, its last secrets remain in use.",
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
      "an event store that fails, where that rejects events",
      "cold",
      { store: { claim: failing, complete: failing, release: failing }, onStoreError: "reject" },
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
      "call-transfer: onEvent failed: ECONNREFUSED 10.0.0.7:6379. The sender gets no details. Fix onEvent: a duplicate of the event is handled again.",
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
    expect(lines[1]).toMatch(/ \(and 2 more\)$/);
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

describe("a printed error", () => {
  const hang: Step = () => new Promise(() => {});
  const invalid = problem(422, "validation_failed", {
    errors: Array.from({ length: 9 }, (_, index) => ({ field: `members[${index}]`, code: "too_short", message: "m" })),
  });
  const call = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };

  async function errorOf(script: Step[], operation: "list" | "call", options: Partial<ClientOptions> = {}) {
    const quick = { random: () => 0, logLevel: "off" as const, accountId: "acc-1", timeoutMs: 5 };
    const clock = { ...clockAt({ ms: 0 }), setTimeout: (run: () => void) => setTimeout(run, 0), clearTimeout };
    const { client } = clientOf(script, { clock, ...quick, ...options });
    const context = { context: { jobId: "j-17" } };
    const request = operation === "call" ? client.calls.create(call, context) : client.roles.list(context);
    const { error } = await request.result();
    return error as OutcomeUnknownError;
  }

  it.each<[string, Step[], "list" | "call"]>([
    ["a timeout", [hang, hang, hang], "list"],
    ["a refused connection", Array.from({ length: 3 }, () => networkError("ECONNREFUSED")), "list"],
    ["a 401", [problem(401, "token_invalid")], "list"],
    ["a 404", [problem(404, "resource_not_found")], "list"],
    ["invalid fields", [invalid], "list"],
    ["a 429", [problem(429, "rate_limit_exceeded", { meta: { retryAfterSecs: 900 } })], "list"],
    ["a 503", Array.from({ length: 3 }, () => problem(503, "service_error")), "list"],
    ["a lost placement", [networkError("ECONNRESET")], "call"],
  ])(
    "has at most eight lines after %s, with operation, outcome, attempts, host, account and context",
    async (_, script, operation) => {
      const error = await errorOf(script, operation);
      const text = inspect(error);
      expect(text.split("\n").length).toBeLessThanOrEqual(8);
      const { name, message, operationId, outcome } = error;
      for (const part of [name, message, operationId, outcome, "https://api.example.com", "acc-1", '{"jobId":"j-17"}'])
        expect(text).toContain(part);
      for (const { status, error: code, requestId, durationMs } of error.attempts) {
        expect(text).toContain(` in ${durationMs} ms${requestId ? ` (request ${requestId})` : ""}`);
        expect(text).toContain(String(code ?? status));
      }
    },
  );

  it("of a lost placement is what docs/errors.md shows", async () => {
    const time = { ms: Date.parse("2026-03-02T12:00:00Z") };
    const reset: Step = () => {
      time.ms += 1203;
      throw networkError("ECONNRESET");
    };
    const text = inspect(await errorOf([reset], "call", { clock: clockAt(time), timeoutMs: 60_000 }));
    const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
    const [, shown] = /printed\.test\.ts -->\n\n```text\n([^`]+)\n```/.exec(page) ?? [];
    expect(text.replace(/(?:\n +at .*)+/, "\n    at placeCalls (/app/src/jobs.ts:12:24)")).toBe(shown);
  });

  it("has a stack that begins with its name, and has no frame of the SDK", async () => {
    const { name, message, stack = "" } = await errorOf([problem(404, "resource_not_found")], "list");
    expect(stack.startsWith(`${name}: ${message}\n    at `)).toBe(true);
    expect(stack).toContain("printed.test.ts");
    expect(stack).not.toContain("/sdk/src/");
  });

  it("begins with where the caller's middleware threw", async () => {
    const throwing = () => {
      throw new Error("no tenant");
    };
    const text = inspect(await errorOf([], "list", { middleware: [throwing] }));
    expect(text).toMatch(/no tenant\n +at throwing \(.*printed\.test\.ts/);
  });

  it("has at most eight lines after a webhook with a bad signature, and the caller's code", async () => {
    const input = { body: "{}", headers: {} };
    const error = await verifyWebhook(input, { secret: "whsec-printed" }).catch((thrown: unknown) => thrown);
    const lines = inspect(error).split("\n");
    expect(lines[0]).toBe("WebhookVerificationError: The header Service-Signature is missing.");
    expect(lines.join()).toContain("printed.test.ts");
    expect(lines.length).toBeLessThanOrEqual(8);
  });

  it("keeps its facts in JSON and in a copy", async () => {
    const error = await errorOf([problem(404, "resource_not_found")], "list");
    const facts = {
      ...{ operationId: "listRoles", outcome: "rejected", requestId: "req-1", code: "resource_not_found", status: 404 },
      ...{ durationMs: 0, baseUrl: "https://api.example.com", accountId: "acc-1", context: { jobId: "j-17" } },
      attempts: [{ startedAt: 0, durationMs: 0, status: 404, code: "resource_not_found", requestId: "req-1" }],
    };
    expect({ ...error }).toMatchObject(facts);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      name: "NotFoundError",
      message: error.message,
      ...facts,
    });
  });

  it("lists the last four of many attempts", async () => {
    const script = Array.from({ length: 9 }, () => json(500, {}));
    const text = inspect(await errorOf(script, "list", { maxRetries: 8 }));
    expect(text).toContain("9 attempts in");
    expect(text.match(/500 in 0 ms/g)).toHaveLength(4);
  });
});

describe("the context of a request", () => {
  it("reaches hooks, middleware, instrumentation and the error, and is not sent", async () => {
    const context = { jobId: "j-17" };
    const seen: [string, unknown][] = [];
    const { client, sent } = clientOf([json(500, {}), problem(404, "resource_not_found")], {
      ...{ clock: clockAt({ ms: 0 }), random: () => 0, logLevel: "off" as const },
      onRetry: (event) => seen.push(["onRetry", event.context]),
      middleware: [
        (_, next, { context: own }) => {
          seen.push(["middleware", own]);
          return next();
        },
      ],
      instrumentation: {
        startRequest: (request) => {
          seen.push(["instrumentation", request.context]);
          return undefined;
        },
      },
    });
    const { error } = await client.roles.list({ context }).result();
    expect(error).toMatchObject({ context });
    expect(seen).toEqual([
      ["instrumentation", context],
      ["middleware", context],
      ["onRetry", context],
      ["middleware", context],
    ]);
    expect(JSON.stringify(sent.map(({ url, headers, init }) => [url, [...headers], init.body]))).not.toContain("j-17");
  });
});
