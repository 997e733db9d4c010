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
    ["JSON that is cut off", [text('{"roles":[', "application/json")], {}, { message: brokenJson, outcome: "applied" }],
    ["a page", [text("<html>", "text/html")], {}, { message: notJson("text/html"), outcome: "unknown" }],
    ["a list", [json(200, [])], {}, { message: notJson("application/json"), outcome: "unknown" }],
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

  it.each([
    [
      "each address that was tried, once",
      new AggregateError([new Error("refused"), new Error("refused"), new Error("timed out")]),
      "refused, timed out",
    ],
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
      "a 201 without the call's id",
      json(201, { type: "initiated" }),
      {},
      "createCall was carried out, but its response was lost. Do not send it again: reconcile() looks for its result. createCall answered 201 with a body without callId",
    ],
  ])("says after %s whether a call may have been placed", async (_, step, options, message) => {
    const { client } = clientOf([step], options);
    expect(await errorOf(client.calls.create(placement))).toMatchObject({ name: "OutcomeUnknownError", message });
  });
});
