// What decides, at its limits, whether and when a request is sent again, and what is kept of it.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CallTransfer } from "../src/client.ts";
import { CallTransferError } from "../src/errors/base.ts";
import type { ClientOptions, Middleware } from "../src/options/options.ts";
import { createRawClient } from "../src/raw.ts";
import { settle } from "./settle.ts";
import { clientOf, json, networkError, problem, type Step } from "./test-server.ts";

const roles = { roles: [] };
const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const placed = () => json(201, { type: "initiated", callId: "c" });
const group = { name: "Front desk", members: [{ destinationId: "d" }] };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The error or data of a list of roles. */
const listed = (script: Step[], options: Partial<ClientOptions> = {}) =>
  settle(clientOf(script, options).client.roles.list());

describe("the wait before a retry", () => {
  it("may be as long as retry.maxRetryAfterMs", async () => {
    const script = [problem(429, "rate_limit_exceeded", { meta: { retryAfterSecs: 60 } }), json(200, roles)];
    expect(await listed(script)).toEqual(roles);
  });

  it("is the longer one of the server's and that of middleware's answer", async () => {
    const hint = (retryAfterSecs: number) => problem(429, "rate_limit_exceeded", { meta: { retryAfterSecs } });
    for (const [server, own] of [
      [5, 2],
      [2, 5],
    ] as const) {
      const middleware: Middleware = async (_request, next) => ((await next()).ok ? next() : hint(own));
      const options = { middleware: [middleware], maxRetries: 1, random: () => 0 };
      const error = await listed([hint(server), hint(server)], options);
      expect(error).toMatchObject({ retryAfterSecs: 5, attempts: [{ delayMs: 5001 }, {}] });
    }
  });
});

describe("a retry", () => {
  it("is not sent after a wait that went beyond the time of the whole request", async () => {
    let passed = 0;
    const clock = {
      now: () => passed,
      monotonicNow: () => passed,
      // The process is suspended while it waits. The limits of the attempts are longer.
      setTimeout(run: () => void, delayMs: number) {
        if (delayMs > 20_000) return;
        passed += 60_000;
        run();
      },
      clearTimeout: () => {},
    };
    const { client, sent } = clientOf([problem(503, "service_error"), json(200, roles)], { clock, timeoutMs: 30_000 });
    const error = await settle(client.roles.list({ totalTimeoutMs: 30_000 }));
    expect(error).toMatchObject({ name: "TimeoutError" });
    expect(sent).toHaveLength(1);
  });

  it("is refused with the reason for a body that is no text", async () => {
    const { client } = clientOf([networkError("ECONNREFUSED")]);
    const bodySerializer = () => new Blob(["{}"]);
    const sent = createRawClient(client).POST("/api/v1/transfers/destination-groups", { body: group, bodySerializer });
    expect(await settle(sent)).toMatchObject({ retrySkippedReason: "body_not_replayable" });
  });

  it("is refused with the reason if a call is listed", async () => {
    const calls = [
      { id: "a", direction: "outbound", duration: 0, status: "completed", createdAt: "2026-03-02T12:00:00Z" },
    ];
    const script = [networkError("ECONNRESET"), json(200, { calls, meta: { total: 1 } })];
    const { client } = clientOf(script, { retry: { onUnknownOutcome: "check" } });
    expect(await settle(client.calls.create(placement))).toMatchObject({
      retrySkippedReason: "list_inconclusive",
    });
  });

  it("asks for no list if the deadline would expire first", async () => {
    const { client, sent } = clientOf([networkError("ECONNRESET")], {
      retry: { onUnknownOutcome: "check" },
      totalTimeoutMs: 100,
    });
    expect(await settle(client.calls.create(placement))).toMatchObject({
      retrySkippedReason: "total_timeout",
    });
    expect(sent).toHaveLength(1);
  });
});

describe("a deadline is compared with the time after the look at the list, so that a retry", () => {
  /** A placement whose answer is lost, with a list that takes a while; its retry would wait 250 ms. */
  async function placedAfter(listMs: number) {
    const list = async () => {
      await new Promise((resolve) => setTimeout(resolve, listMs));
      return json(200, { calls: [], meta: { total: 0 } });
    };
    const script = [networkError("ECONNRESET"), list, placed()];
    const started = Date.now();
    const { client, sent } = clientOf(script, {
      retry: { onUnknownOutcome: "check" },
      totalTimeoutMs: 1000,
      random: () => 0,
    });
    const placing = client.calls.create(placement).catch((error: unknown) => error);
    const settled = placing.then((result) => ({ result, afterMs: Date.now() - started, requests: sent.length }));
    await vi.runAllTimersAsync();
    return settled;
  }

  it("that no longer fits is not waited for", async () => {
    expect(await placedAfter(750)).toMatchObject({
      result: { name: "OutcomeUnknownError", retrySkippedReason: "total_timeout" },
      afterMs: 750,
      requests: 2,
    });
  });

  it("that still fits is sent", async () => {
    expect(await placedAfter(749)).toMatchObject({ result: { callId: "c" }, afterMs: 999, requests: 3 });
  });
});

describe("an expired token that middleware reports", () => {
  const options = (answers: Middleware) => ({
    accessToken: async () => "token-token",
    accountId: "a",
    middleware: [answers],
    maxRetries: 0,
  });
  const expired = () => problem(401, "token_expired");

  it("is renewed for a read, whatever happened to it", async () => {
    const first: Middleware = async (_request, next, { attemptNumber }) => {
      const answer = await next();
      return attemptNumber === 1 ? expired() : answer;
    };
    expect(await listed([json(200, roles), json(200, roles)], options(first))).toEqual(roles);
  });

  it("is renewed for a placement that was not sent, and not for one that may have been", async () => {
    const instead: Middleware = async (_request, next) => next().catch(expired);
    const unsent = clientOf([networkError("ECONNREFUSED"), placed()], options(instead));
    expect(await settle(unsent.client.calls.create(placement))).toEqual({ type: "initiated", callId: "c" });
    const lost = clientOf([networkError("ECONNRESET"), placed()], options(instead));
    expect(await settle(lost.client.calls.create(placement))).toMatchObject({ name: "OutcomeUnknownError" });
  });
});

describe("the error", () => {
  it("has a window from the first attempt on", async () => {
    const start = Date.now();
    const script = [problem(429, "rate_limit_exceeded"), networkError("ECONNRESET")];
    const { client } = clientOf(script, { random: () => 1 });
    expect(await settle(client.calls.create(placement))).toMatchObject({
      window: { start: new Date(start - 300_000).toISOString(), end: new Date(start + 300_500).toISOString() },
    });
  });

  it("keeps the body of a success that failed its validation", async () => {
    const responseValidator = () => {
      throw undefined;
    };
    const { client } = clientOf([placed()], { responseValidator });
    expect(await settle(client.calls.create(placement))).toMatchObject({
      outcome: "applied",
      partialBody: '{"type":"initiated","callId":"c"}',
      cause: { cause: "nothing" },
    });
  });

  it("of a page that middleware invented says that nothing was sent", async () => {
    const page = () => new Response("<html>", { headers: { "content-type": "text/html" } });
    const error = await listed([], { middleware: [async () => page()], maxRetries: 0 });
    expect(error).toMatchObject({ name: "InvalidResponseError", outcome: "not_sent" });
    expect((error as Error).cause).toBeUndefined();
  });

  it("that middleware throws from the SDK is its own before a request is sent, and not after", async () => {
    const own = new CallTransferError("own");
    const before: Middleware = async () => Promise.reject(own);
    expect(await listed([], { middleware: [before] })).toBe(own);
    const after: Middleware = async (_request, next) => next().then(() => Promise.reject(own));
    const { client } = clientOf([placed()], { middleware: [after] });
    expect(await settle(client.calls.create(placement))).toMatchObject({ outcome: "applied", attempts: [{}] });
    let attempts = 0;
    const second: Middleware = (_request, next) => (++attempts === 1 ? next() : Promise.reject(own));
    const error = await listed([problem(503, "service_error")], { middleware: [second] });
    expect(error).toMatchObject({ name: "RequestError", cause: own, attempts: [{ status: 503 }] });
  });

  it("of an unknown outcome does not repeat its facts in its cause", async () => {
    const { cause } = (await settle(clientOf([networkError("ECONNRESET")]).client.calls.create(placement))) as Error;
    expect(cause).toMatchObject({ name: "ConnectionError", attempts: [{}] });
    expect(Object.keys(cause as Error)).toEqual([]);
  });

  it("has a cause with the name and stack of fetch's own error, and no more", async () => {
    const thrown = new TypeError("fetch failed");
    const { cause } = (await listed([thrown], { maxRetries: 0 })) as Error;
    expect(cause).toMatchObject({ name: "TypeError", stack: expect.stringMatching(/^TypeError: fetch failed\n/) });
    expect(cause).not.toHaveProperty("cause");
  });

  it("has the errors of all addresses, and causes to a depth of five", async () => {
    const addresses = new AggregateError([new Error("refused"), new Error("timed out")], "all failed");
    expect(await listed([new TypeError("fetch failed", { cause: addresses })], { maxRetries: 0 })).toMatchObject({
      cause: { cause: { errors: [{ message: "refused" }, { message: "timed out" }] } },
    });
    const circular = new TypeError("fetch failed");
    circular.cause = circular;
    let depth = 0;
    const error = (await listed([circular], { maxRetries: 0 })) as Error;
    for (let cause = error.cause; cause instanceof Error; cause = cause.cause) depth += 1;
    expect(depth).toBe(5);
  });
});

describe("a success without the field that it is for", () => {
  it.each<[string, Step, (client: CallTransfer) => Promise<unknown>, object]>([
    [
      "a placed call's id, by a path",
      json(201, { type: "initiated", callId: null }),
      (client) => client.request("POST", "/api/v1/calls", { body: placement }),
      { name: "OutcomeUnknownError", outcome: "applied" },
    ],
    [
      "a placed call's id, behind another status",
      json(200, { type: "initiated" }),
      (client) => client.calls.create(placement),
      { name: "OutcomeUnknownError", outcome: "applied" },
    ],
    [
      "a new secret, and a type that a newer API may send",
      json(200, { id: "d", type: "app" }),
      (client) => client.destinations.rotateSecret("d"),
      { name: "OutcomeUnknownError", outcome: "applied" },
    ],
    [
      "a group's id",
      json(201, { name: "Front desk" }),
      (client) => client.destinationGroups.create(group),
      { name: "InvalidResponseError", outcome: "applied" },
    ],
  ])("(%s) is an error, and is not sent again", async (_, step, send, expected) => {
    const { client, sent } = clientOf([step], { retry: { onUnknownOutcome: "retry" } });
    expect(await settle(send(client))).toMatchObject(expected);
    expect(sent).toHaveLength(1);
  });
});
