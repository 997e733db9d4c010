import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CallTransfer } from "../src/client.ts";
import { defaultTimeoutMs } from "../src/generated/constants.gen.ts";
import type { Middleware } from "../src/options/options.ts";
import { createRawClient } from "../src/raw.ts";
import { settle } from "./settle.ts";
import { clientOf, json, problem, type Step, stalled } from "./test-server.ts";

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const roles = { roles: [] };
const initiated = { type: "initiated", callId: "c" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  if (vi.isFakeTimers()) expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

/** Time that only waits before retries move: streams and blobs of the platform need the real event loop. */
function waitingClock() {
  let now = Date.parse("2026-03-02T12:00:00Z");
  return {
    now: () => now,
    setTimeout(callback: () => void, delayMs: number) {
      // What is this long is an attempt's own limit, which no test here reaches.
      if (delayMs >= defaultTimeoutMs) return undefined;
      return setImmediate(() => {
        now += delayMs;
        callback();
      });
    },
    clearTimeout: (timer: unknown) => clearImmediate(timer as NodeJS.Immediate),
  };
}

const after =
  (change: (response: Response) => Promise<Response> | Response): Middleware =>
  async (_request, next) =>
    change(await next());

/** Ways in which middleware hands an answer on. All of them must be read as the answer itself. */
const kinds: Readonly<Record<string, Middleware>> = {
  "the response itself": after((response) => response),
  "the response after reading its text": after(async (response) => {
    await response.text();
    return response;
  }),
  "a new Response of its text": after(async (response) => new Response((await response.text()) || null, response)),
  "a new Response of its blob": after(async (response) => {
    const blob = await response.blob();
    return new Response(blob.size > 0 ? blob : null, response);
  }),
  "a clone of a clone, with the others read": after(async (response) => {
    const clone = response.clone();
    const other = clone.clone();
    await response.text();
    await clone.text();
    return other;
  }),
  "a response with a body that comes in pieces": after(async (response) => {
    if (response.body === null) return response;
    const bytes = new TextEncoder().encode(await response.text());
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    return new Response(pieces, response);
  }),
};

/** Classes of answers, and what the caller must see of them. */
const answers: Readonly<
  Record<string, { script: () => Step[]; call: (client: CallTransfer) => Promise<unknown>; seen: object }>
> = {
  "a placement that was carried out": {
    script: () => [json(201, initiated)],
    call: (client) => client.calls.create(placement),
    seen: initiated,
  },
  "a success without a body": {
    script: () => [new Response(null, { status: 204 })],
    call: (client) =>
      client.members
        .deleteHours("m")
        .withResponse()
        .then(({ response }) => ({ status: response.status })),
    seen: { status: 204 },
  },
  "a read": { script: () => [json(200, roles)], call: (client) => client.roles.list(), seen: roles },
  "a refusal with a code": {
    script: () => [problem(422, "contact_on_dnc_list")],
    call: (client) => client.calls.create(placement),
    seen: { name: "UnprocessableEntityError", code: "contact_on_dnc_list", outcome: "rejected" },
  },
  "a rate limit, whose wait is honoured": {
    script: () => [problem(429, "rate_limit_exceeded", { meta: { retryAfterSecs: 7 } }), json(201, initiated)],
    call: async (client) => {
      const waits: unknown[] = [];
      await client
        .withOptions({ random: () => 0, onRetry: ({ attempt }) => waits.push(attempt.delayMs) })
        .calls.create(placement);
      return { waits };
    },
    seen: { waits: [7001] },
  },
  "an expired token, which is renewed": {
    script: () => [problem(401, "token_expired"), json(200, roles)],
    call: (client) => client.roles.list(),
    seen: roles,
  },
  "a proxy's page": {
    script: () => [new Response("<html>bad gateway</html>", { status: 502, headers: { "content-type": "text/html" } })],
    call: (client) => client.calls.create(placement),
    seen: { name: "OutcomeUnknownError", outcome: "unknown", cause: { status: 502, code: undefined } },
  },
  "a success that breaks off": {
    script: () => [new Response('{"type":"init', { status: 201, headers: { "content-type": "application/json" } })],
    call: (client) => client.calls.create(placement),
    seen: { name: "OutcomeUnknownError", outcome: "applied", partialBody: '{"type":"init' },
  },
};

describe("middleware that returns", () => {
  const cells = Object.keys(kinds).flatMap((kind) => Object.keys(answers).map((answer) => [kind, answer] as const));
  it.each(cells)("%s changes nothing of %s", async (kind, answer) => {
    const { script, call, seen } = answers[answer] ?? { script: () => [], call: async () => {}, seen: {} };
    vi.useRealTimers();
    const { client } = clientOf(script(), {
      clock: waitingClock(),
      accessToken: async ({ forceRefresh }) => (forceRefresh ? "renewed-token" : "first-token"),
      accountId: "a",
      middleware: [kinds[kind] as Middleware],
    });
    expect(await call(client).catch((error: unknown) => error)).toMatchObject(seen);
  });

  it("an invented error without sending has the outcome not_sent and is retried by its status", async () => {
    let refusals = 0;
    const breaker: Middleware = async (_request, next) => (refusals++ < 2 ? problem(503, "service_error") : next());
    const { client, sent } = clientOf([json(201, initiated)], { middleware: [breaker], maxRetries: 2 });
    expect(await settle(client.calls.create(placement))).toEqual(initiated);
    expect(sent).toHaveLength(1);
    const refusing = clientOf([], { middleware: [async () => problem(400, "bad_request")] });
    expect(await settle(refusing.client.calls.create(placement))).toMatchObject({
      name: "BadRequestError",
      outcome: "not_sent",
      attempts: [],
    });
  });

  it.each([
    ["503 that left nothing behind", () => problem(503, "service_unavailable")],
    ["429", () => problem(429, "rate_limit_exceeded", { meta: { retryAfterSecs: 0 } })],
    ["400", () => problem(400, "bad_request")],
  ])("an invented %s in place of a placed call sends no second call", async (_name, invented) => {
    const { client, sent } = clientOf([json(201, initiated), json(201, initiated)], { middleware: [after(invented)] });
    expect(await settle(client.calls.create(placement))).toMatchObject({
      name: "OutcomeUnknownError",
      outcome: "applied",
    });
    expect(sent).toHaveLength(1);
  });

  it("an invented error in place of a read is retried like any other", async () => {
    let calls = 0;
    const suspicious = after((response) => (calls++ === 0 ? problem(503, "service_error") : response));
    const { client, sent } = clientOf([json(200, roles), json(200, roles)], { middleware: [suspicious] });
    expect(await settle(client.roles.list())).toEqual(roles);
    expect(sent).toHaveLength(2);
  });

  it("a shorter wait than the server asked for does not shorten it", async () => {
    const bare = after(async (response) => (response.ok ? response : new Response(null, { status: response.status })));
    const { client } = clientOf(
      [problem(429, "rate_limit_exceeded", { meta: { retryAfterSecs: 9 } }), json(200, roles)],
      { middleware: [bare], random: () => 0 },
    );
    const started = Date.now();
    expect(await settle(client.roles.list())).toEqual(roles);
    expect(Date.now() - started).toBe(9001);
  });

  it("a body is shown as text, and one of another type is not shown", async () => {
    const seen: unknown[] = [];
    const look: Middleware = (request, next) => {
      seen.push(request.body);
      return next();
    };
    const answers = [json(201, initiated), json(201, initiated), json(200, roles)];
    const { client } = clientOf(answers, { middleware: [look] });
    await client.calls.create(placement);
    await createRawClient(client).POST("/api/v1/calls", { body: placement, bodySerializer: () => new Blob(["{}"]) });
    await client.roles.list();
    expect(seen).toEqual([JSON.stringify(placement), undefined, undefined]);
  });

  it("an unreadable body is reported as returned by middleware", async () => {
    const consumed = after(async (response) => {
      const own = new Response(await response.text(), response);
      await own.text();
      return own;
    });
    const { client } = clientOf([json(201, initiated)], { middleware: [consumed] });
    expect(await settle(client.calls.create(placement))).toMatchObject({
      name: "OutcomeUnknownError",
      outcome: "applied",
      message: expect.stringContaining("the response returned by middleware cannot be read"),
    });
  });

  it("a body that stalls leaves only its own part in the error", async () => {
    const { client } = clientOf([json(201, initiated)], { middleware: [after(() => stalled(201, '{"half'))] });
    expect(await settle(client.calls.create(placement))).toMatchObject({ outcome: "applied", partialBody: '{"half' });
  });
});
