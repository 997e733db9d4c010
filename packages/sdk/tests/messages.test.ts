import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defaultTimeoutMs } from "../src/generated/constants.gen.ts";
import type { ClientOptions } from "../src/options/options.ts";
import { clientOf, json, networkError, problem, type Step, stalled } from "./test-server.ts";

const roles = { roles: [] };
const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const settled = promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  return settled;
}

const broken = (status: number): Response =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("socket closed")) }), { status });
const text = (body: BodyInit | null, type?: string): Response =>
  new Response(body, { headers: type === undefined ? {} : { "content-type": type } });
const bytes = new TextEncoder().encode("hello");
const notJson = (what: string): string =>
  `listRoles answered 200 with a body that is not a JSON object (${what}): check baseUrl and proxies`;
const timedOut = `listRoles got no complete response within ${defaultTimeoutMs} ms`;
const brokenJson = "listRoles answered 200 with invalid or truncated JSON";
const lost = "could not be sent or lost its connection: fetch failed (ECONNRESET)";
const refused = "listRoles answered 503 service_error: Detail. (request req-1); not retried:";

describe("the message of an error", () => {
  it.each<[string, Step[], Partial<ClientOptions>, object]>([
    [
      "a connection that could not be made",
      [networkError("ECONNREFUSED")],
      {},
      {
        name: "ConnectionError",
        message: "listRoles could not be sent or lost its connection: fetch failed (ECONNREFUSED)",
        outcome: "not_sent",
      },
    ],
    [
      "a body that breaks off",
      [broken(200)],
      {},
      {
        message: "listRoles lost the connection in the body of its 200 response: socket closed",
        outcome: "applied",
        attempts: [{ error: "connection_lost" }],
      },
    ],
    [
      "the body of an error that breaks off",
      [broken(500)],
      {},
      { message: "listRoles lost the connection in the body of its 500 response: socket closed", outcome: "unknown" },
    ],
    ["a body that stops", [stalled(200)], {}, { name: "TimeoutError", message: timedOut, outcome: "applied" }],
    [
      "no response",
      [() => new Promise(() => {})],
      { timeoutMs: 1500 },
      {
        name: "TimeoutError",
        message: "listRoles got no complete response within 1500 ms",
        outcome: "unknown",
        cause: { name: "TimeoutError", message: "no complete response within 1500 ms" },
      },
    ],
    [
      "an accessToken function that hangs",
      [],
      { accountId: "a", accessToken: () => new Promise<string>(() => {}) },
      {
        name: "TimeoutError",
        message: `${timedOut}: the accessToken function has not returned`,
        outcome: "not_sent",
      },
    ],
    [
      "a renewal that hangs",
      [problem(401, "token_expired")],
      {
        accountId: "a",
        accessToken: ({ forceRefresh }) => (forceRefresh ? new Promise<string>(() => {}) : "some-token"),
      },
      { message: `${timedOut}: the accessToken function has not returned` },
    ],
    [
      "middleware that hangs before it sends",
      [],
      { middleware: [(_, next) => next(), () => new Promise(() => {})] },
      {
        name: "TimeoutError",
        message: `${timedOut}: middleware 2 of listRoles has not returned`,
        outcome: "not_sent",
      },
    ],
    [
      "middleware that hangs after it sent",
      [json(200, roles)],
      {
        middleware: [
          async (_, next) => {
            await next();
            return new Promise<Response>(() => {});
          },
          (_, next) => next(),
        ],
      },
      {
        message: `${timedOut}: middleware 1 of listRoles has not returned`,
        outcome: "applied",
      },
    ],
    [
      "a token function that hangs inside middleware",
      [],
      {
        accountId: "a",
        accessToken: () => new Promise<string>(() => {}),
        middleware: [(_, next) => next()],
      },
      { message: `${timedOut}: the accessToken function has not returned` },
    ],
    [
      "a response that hangs below middleware",
      [() => new Promise(() => {})],
      { middleware: [(_, next) => next()] },
      { message: timedOut, outcome: "unknown" },
    ],
    ["a body of middleware that hangs", [], { middleware: [async () => stalled(200)] }, { message: timedOut }],
    [
      "a body that is too large",
      [text("x".repeat(10_485_761))],
      {},
      { message: "listRoles answered 200 with a body larger than 10485760 bytes", outcome: "applied" },
    ],
    [
      "middleware that throws after sending",
      [json(200, roles)],
      {
        middleware: [
          async (_, next) => {
            await next();
            throw new Error("boom");
          },
        ],
      },
      { name: "RequestError", message: "listRoles was sent, but middleware threw: boom", outcome: "applied" },
    ],
    [
      "middleware that throws before a retry",
      [problem(503, "service_error")],
      {
        maxRetries: 1,
        middleware: [
          (_, next, { attemptNumber }) => {
            if (attemptNumber === 2) throw new Error("boom");
            return next();
          },
        ],
      },
      { message: "listRoles failed: middleware or the accessToken function threw: boom", outcome: "unknown" },
    ],
    [
      "middleware that sends twice",
      [json(200, roles)],
      {
        middleware: [
          async (_, next) => {
            await next();
            return next();
          },
        ],
      },
      {
        message: "listRoles was sent, but middleware threw: middleware 1 of listRoles called next() twice",
      },
    ],
    [
      "middleware that returns nothing",
      [],
      { middleware: [(_, next) => next(), async () => undefined as never] },
      {
        name: "RequestError",
        message:
          "listRoles failed: middleware or the accessToken function threw: middleware 2 of listRoles returned no Response",
        outcome: "not_sent",
      },
    ],
    ["JSON that is cut off", [text('{"roles":[', "application/json")], {}, { message: brokenJson, outcome: "applied" }],
    [
      "unlabelled JSON that is cut off",
      [text(new TextEncoder().encode('{"roles":['))],
      {},
      { message: brokenJson, outcome: "applied" },
    ],
    ["an empty body without a label", [text(bytes.slice(0, 0))], {}, { message: notJson("empty"), outcome: "unknown" }],
    ["JSON labelled as text that is cut off", [text(' {"roles":[', "text/plain")], {}, { message: brokenJson }],
    ["JSON of a vendor's type", [text("x", "application/vnd.x+json; charset=utf-8")], {}, { message: brokenJson }],
    ["an empty body", [text("", "application/json")], {}, { message: brokenJson }],
    ["a page", [text("<html>", "text/html")], {}, { message: notJson("text/html"), outcome: "unknown" }],
    [
      "a page labelled as JSON",
      [text(" <html>", "application/json")],
      {},
      { message: notJson("application/json"), outcome: "unknown" },
    ],
    [
      "a page labelled as JSON, at its start",
      [text("<html>", "application/json")],
      {},
      { message: notJson("application/json") },
    ],
    ["text with a brace", [text("hello {", "text/plain")], {}, { message: notJson("text/plain") }],
    [
      "JSON with a page in it that is cut off",
      [text('{"page":"<html>', "application/json")],
      {},
      { message: brokenJson },
    ],
    ["no body", [text(null)], {}, { message: notJson("empty"), outcome: "unknown" }],
    ["a list", [json(200, [])], {}, { message: notJson("application/json"), outcome: "unknown" }],
    ["bytes without a label", [text(bytes)], {}, { message: notJson("no content type"), outcome: "unknown" }],
    ["text", [text("hello", "text/plain")], {}, { message: notJson("text/plain"), outcome: "unknown" }],
    [
      "a failed validation",
      [json(200, roles)],
      {
        responseValidator: () => {
          throw new Error("roles is empty");
        },
      },
      { message: "listRoles answered 200 with a body that failed validation (roles is empty)", outcome: "applied" },
    ],
    [
      "a long wait",
      [problem(503, "service_error", { meta: { retryAfterSecs: 100 } })],
      { maxRetries: 2 },
      { message: `${refused} the server asked to wait 100 s, more than retry.maxRetryAfterMs` },
    ],
    [
      "a deadline that is near",
      [problem(503, "service_error")],
      { maxRetries: 2, totalTimeoutMs: 100 },
      { message: `${refused} totalTimeoutMs would expire first` },
    ],
    [
      "a long outage",
      Array.from({ length: 200 }, () => networkError("ECONNRESET")),
      { maxRetries: 200 },
      { message: `listRoles ${lost}; not retried: the client's retry budget is used up` },
    ],
  ])("names %s", async (_, script, options, expected) => {
    const { client } = clientOf(script, { maxRetries: 0, ...options });
    expect(await errorOf(client.roles.list())).toMatchObject(expected);
  });

  it("is the error's own if its cause cannot be read", async () => {
    const odd = Object.defineProperty(new Error("odd"), "cause", {
      get() {
        throw new Error("unreadable");
      },
    });
    const { client } = clientOf([() => Promise.reject(odd)], { maxRetries: 0 });
    expect(await errorOf(client.roles.list())).toMatchObject({
      message: "listRoles could not be sent or lost its connection: odd",
    });
    const placing = clientOf([() => Promise.reject(odd)]).client;
    expect(await errorOf(placing.calls.create(placement))).toMatchObject({ name: "OutcomeUnknownError" });
  });

  it.each([
    [
      "each address that was tried, once",
      new AggregateError([new Error("refused"), new Error("refused"), new Error("timed out")]),
      "refused, timed out",
    ],
    ["a code where the cause has no message", Object.assign(new Error(""), { code: "ECONNRESET" }), "ECONNRESET"],
  ])("names %s", async (_, cause, reasons) => {
    const { client } = clientOf([new TypeError("fetch failed", { cause })], { maxRetries: 0 });
    expect(await errorOf(client.roles.list())).toMatchObject({
      message: `listRoles could not be sent or lost its connection: fetch failed (${reasons})`,
    });
  });

  it("names the caller's abort", async () => {
    const { client } = clientOf([() => new Promise(() => {})]);
    const error = await errorOf(client.roles.list({ signal: AbortSignal.abort(new Error("closed")) }));
    expect(error).toMatchObject({ message: "listRoles was aborted by the caller", cause: { message: "closed" } });
  });

  it.each<[string, Step, Partial<ClientOptions>, string]>([
    [
      "a lost connection",
      networkError("ECONNRESET"),
      {},
      `createCall may have been carried out. Call reconcile() before sending it again. createCall ${lost}; not retried: it is not idempotent`,
    ],
    [
      "a lost response",
      broken(201),
      {},
      "createCall was carried out, but its response was lost. Do not send it again: reconcile() looks for its result. createCall lost the connection in the body of its 201 response: socket closed; not retried: that would do it twice",
    ],
    [
      "an error of the server",
      problem(500, "internal_error"),
      {},
      "createCall may have been carried out. Call reconcile() before sending it again. createCall answered 500 internal_error: Detail. (request req-1); not retried: it is not idempotent",
    ],
    [
      "a 201 without the call's id",
      json(201, { type: "initiated" }),
      {},
      "createCall was carried out, but its response was lost. Do not send it again: reconcile() looks for its result. createCall answered 201 with a body without callId",
    ],
    [
      "a 202 without a type",
      json(202, { position: 1 }),
      {},
      "createCall was carried out, but its response was lost. Do not send it again: reconcile() looks for its result. createCall answered 202 with a body without type",
    ],
  ])("says after %s whether a call may have been placed", async (_, step, options, message) => {
    const { client } = clientOf([step], options);
    expect(await errorOf(client.calls.create(placement))).toMatchObject({ name: "OutcomeUnknownError", message });
  });
});
