import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallTransfer } from "../src/client.ts";
import { InvalidArgumentError } from "../src/errors/base.ts";
import { defaultMaxRetries, defaultTimeoutMs } from "../src/generated/constants.gen.ts";
import {
  AbortError,
  ApiError,
  type ConnectionError,
  InvalidResponseError,
  OutcomeUnknownError,
  TimeoutError,
} from "../src/index.ts";
import { createRawClient } from "../src/raw.ts";
import { settle } from "./settle.ts";
import { apiKey, clientOf, json, networkError, problem, type Step, stalled } from "./test-server.ts";

const roles = { roles: [] };
const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const group = { name: "Front desk", members: [{ destinationId: "d" }] };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a request", () => {
  it("carries the credential, the account, the caller's headers and the body as JSON", async () => {
    const { client, sent } = clientOf([json(201, { type: "initiated", callId: "c" })], {
      accountId: "acc-1",
      headers: { "x-team": "a" },
    });
    await client.calls.create(placement, { accountId: "acc-2" });
    expect(sent[0]?.url).toBe("https://api.example.com/api/v1/calls");
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toMatchObject({
      authorization: `Bearer ${apiKey}`,
      "x-account-id": "acc-2",
      "x-team": "a",
      "content-type": "application/json",
    });
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual(placement);
    expect(sent[0]?.init.redirect).toBe("manual");
    expect(sent[0]?.init).not.toHaveProperty("duplex");
  });

  it("asks for JSON, without an account or a body that was not given", async () => {
    const { client, sent } = clientOf([json(200, roles)]);
    await client.roles.list();
    expect(sent[0]?.headers.get("accept")).toBe("application/json");
    expect(sent[0]?.headers.has("x-account-id")).toBe(false);
    expect(Object.keys(sent[0]?.init ?? {}).sort()).toEqual(["headers", "method", "redirect", "signal"]);
  });

  it("carries the request's own headers over the client's", async () => {
    const { client, sent } = clientOf([json(200, roles)], { headers: { "x-team": "a", "x-kept": "k" } });
    await client.roles.list({ headers: { "x-team": "b" } });
    expect([sent[0]?.headers.get("x-team"), sent[0]?.headers.get("x-kept")]).toEqual(["b", "k"]);
  });

  it("keeps a path prefix of the base address", async () => {
    const { client, sent } = clientOf([json(200, roles)], { baseUrl: "https://example.com/proxy/" });
    await client.roles.list();
    expect(sent[0]?.url).toBe("https://example.com/proxy/api/v1/roles");
  });

  it("calls fetch as a function: browsers and Workers refuse it as a method of anything else", async () => {
    const owners: unknown[] = [];
    function strictFetch(this: unknown): Promise<Response> {
      owners.push(this);
      return Promise.resolve(Response.json({ roles: [] }));
    }
    vi.stubGlobal("fetch", strictFetch);
    await new CallTransfer({ baseUrl: "https://example.com", apiKey: "svc_live_x" }).roles.list();
    await new CallTransfer({ baseUrl: "https://example.com", apiKey: "svc_live_x", fetch: strictFetch }).roles.list();
    expect(owners).toEqual([undefined, undefined]);
  });

  it("looks up the global fetch when it is sent, not when the client is created", async () => {
    const { client } = clientOf([], { fetch: undefined as never });
    const replacement = vi.fn(async () => json(200, roles));
    vi.stubGlobal("fetch", replacement);
    await client.roles.list();
    vi.unstubAllGlobals();
    expect(replacement).toHaveBeenCalledOnce();
  });

  it("calls the token function for each attempt", async () => {
    const accessToken = vi.fn(async () => `token-${accessToken.mock.calls.length}`);
    const { client, sent } = clientOf([problem(503, "service_error"), json(200, roles)], {
      accessToken,
      accountId: "a",
    });
    await settle(client.roles.list());
    expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer token-1", "Bearer token-2"]);
  });

  it("keeps a renewed token after an error that is not about it", async () => {
    const renewals = vi.fn();
    const accessToken = async ({ forceRefresh }: { forceRefresh: boolean }) => {
      if (forceRefresh) renewals();
      return forceRefresh ? "renewed-token" : "old-token";
    };
    const expired = () => problem(401, "token_expired");
    const script = [expired(), problem(500, "internal_error"), expired(), json(200, roles)];
    const { client } = clientOf(script, { accessToken, accountId: "a", maxRetries: 0 });
    expect(await settle(client.roles.list())).toMatchObject({ status: 500 });
    expect(await settle(client.roles.list())).toEqual(roles);
    expect(renewals).toHaveBeenCalledOnce();
  });

  it("with an access token needs an account, except where none is required", async () => {
    const { client, sent } = clientOf([json(200, { accounts: [] })], { accessToken: "token" });
    await expect(client.roles.list()).rejects.toMatchObject({ name: "ConfigurationError", option: "accountId" });
    await expect(client.accounts.list()).resolves.toEqual({ accounts: [] });
    expect(sent).toHaveLength(1);
  });

  it("with a controller instead of its signal is refused, naming it, also on the raw client", async () => {
    const { client, sent } = clientOf([]);
    const options = { signal: new AbortController() } as never;
    await expect(client.roles.list(options)).rejects.toMatchObject({ name: "ConfigurationError", option: "signal" });
    await expect(createRawClient(client).GET("/api/v1/roles", options)).rejects.toMatchObject({ option: "signal" });
    expect(sent).toHaveLength(0);
  });
});

describe("retries", () => {
  it("happen as often as the contract says by default, and are listed on the error with the waits between them", async () => {
    const repeated = Array.from({ length: defaultMaxRetries - 1 }, () => problem(500, "internal_error"));
    const { client, sent } = clientOf([...repeated, networkError("ECONNRESET"), problem(502, "service_error")], {
      random: () => 1,
    });
    const error = await settle(client.roles.list());
    expect(sent).toHaveLength(1 + defaultMaxRetries);
    expect(error).toBeInstanceOf(ApiError);
    const delayMs = (at: number) => Math.min(8000, 500 * 2 ** at);
    expect((error as ApiError).attempts).toMatchObject([
      ...repeated.map((_, at) => ({ status: 500, code: "internal_error", requestId: "req-1", delayMs: delayMs(at) })),
      { error: "connection_failed", delayMs: delayMs(repeated.length) },
      { status: 502, code: "service_error" },
    ]);
  });

  it("wait longer than Retry-After says also when the body of that answer breaks off", async () => {
    const failing = new ReadableStream({ pull: () => Promise.reject(new Error("reset")) });
    const script = [new Response(failing, { status: 429, headers: { "retry-after": "3" } }), json(200, roles)];
    const { client, sent } = clientOf(script, { random: () => 0 });
    const settled = client.roles.list();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(settled).resolves.toEqual(roles);
  });

  it("send the very same body again", async () => {
    const { client, sent } = clientOf([problem(429, "queue_full"), json(202, { type: "queued", position: 1 })]);
    await settle(client.calls.create(placement));
    expect(sent[1]?.init.body).toBe(sent[0]?.init.body);
  });

  it("of a group say that a conflict after a lost response may be their own", async () => {
    const lost = clientOf([networkError("ECONNRESET"), problem(409, "resource_already_exists")]);
    const error = await settle(lost.client.destinationGroups.create(group));
    expect((error as Error).message).toContain("an earlier attempt whose response was lost may have caused it");
    const taken = clientOf([problem(409, "resource_already_exists")]);
    const other = await settle(taken.client.destinationGroups.create(group));
    expect((other as Error).message).not.toContain("an earlier attempt");
  });

  it.each([404, 410])("of a DELETE say that a %i after a lost response may be their own", async (status) => {
    const hint = "an earlier attempt whose response was lost may have caused it";
    const messageOf = async (script: Step[], send: (client: CallTransfer) => Promise<unknown>) =>
      ((await settle(send(clientOf(script).client))) as Error).message;
    const gone = () => problem(status, "not_found");
    const remove = (client: CallTransfer) => client.members.deleteHours("m-1");
    expect(await messageOf([networkError("ECONNRESET"), gone()], remove)).toContain(hint);
    expect(await messageOf([gone()], remove)).not.toContain(hint);
    expect(await messageOf([problem(429, "rate_limit_exceeded"), gone()], remove)).not.toContain(hint);
    const read = (client: CallTransfer) => client.members.getAvailability("m-1");
    expect(await messageOf([networkError("ECONNRESET"), gone()], read)).not.toContain(hint);
  });
});

describe("deadlines", () => {
  it.each<[string, () => Step]>([
    ["headers", () => () => new Promise<Response>(() => {})],
    ["the body of a success", () => stalled(200)],
    ["the body of an error", () => stalled(500)],
  ])("include the wait for %s, even if fetch ignores its signal", async (_, step) => {
    const { client, sent } = clientOf([step()], { maxRetries: 0 });
    const settled = client.roles.list({ timeoutMs: 500 }).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(500);
    expect(await settled).toBeInstanceOf(TimeoutError);
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  it("limit all attempts and waits together with totalTimeoutMs", async () => {
    const never = () => new Promise<Response>(() => {});
    const { client } = clientOf([never, never, never], { random: () => 1 });
    const started = Date.now();
    const error = await settle(client.roles.list({ timeoutMs: 1000, totalTimeoutMs: 2000 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(Date.now() - started).toBe(2000);
  });

  it("begin no wait that would end exactly at the deadline of the whole request", async () => {
    const busy = () => problem(503, "service_unavailable");
    const { client, sent } = clientOf([busy(), busy()], { random: () => 0 });
    const started = Date.now();
    const error = await settle(client.roles.list({ totalTimeoutMs: 250 }));
    expect(error).toMatchObject({ retrySkippedReason: "total_timeout", status: 503 });
    expect([sent.length, Date.now() - started]).toEqual([1, 0]);
    const patient = clientOf([busy(), json(200, roles)], { random: () => 0 });
    expect(await settle(patient.client.roles.list({ totalTimeoutMs: 251 }))).toEqual(roles);
  });

  it("ignore a response that arrives too late", async () => {
    let answer: (response: Response) => void = () => {};
    const cancelled = vi.fn();
    const body = new ReadableStream({ cancel: cancelled });
    const { client } = clientOf([() => new Promise((resolve) => (answer = resolve))], { maxRetries: 0 });
    const error = (await settle(client.roles.list({ timeoutMs: 500 }))) as TimeoutError;
    const before = JSON.stringify(error);
    answer(new Response(body));
    await vi.runAllTimersAsync();
    expect(cancelled).toHaveBeenCalledOnce();
    expect(JSON.stringify(error)).toBe(before);
  });

  it("of the whole request are not moved by a correction of the machine's clock", async () => {
    const silence = () => new Promise<Response>(() => {});
    const { client } = clientOf([silence, silence], { random: () => 0.5 });
    const started = performance.now();
    const settled = client.roles.list({ timeoutMs: 600, totalTimeoutMs: 2000 }).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(100);
    vi.setSystemTime(Date.now() - 3_600_000);
    await vi.runAllTimersAsync();
    expect(await settled).toBeInstanceOf(TimeoutError);
    expect(performance.now() - started).toBeLessThanOrEqual(2000);
  });

  it("are those of the contract by default", async () => {
    const { client } = clientOf([() => new Promise<Response>(() => {})], { maxRetries: 0 });
    const started = Date.now();
    await settle(client.roles.list());
    expect(Date.now() - started).toBe(defaultTimeoutMs);
  });
});

describe("abort", () => {
  it("before sending runs no middleware and asks for no token", async () => {
    const middleware = vi.fn();
    const accessToken = vi.fn();
    const { client } = clientOf([], { accessToken, accountId: "a", middleware: [middleware] });
    await expect(client.roles.list({ signal: AbortSignal.abort() })).rejects.toThrow(AbortError);
    expect([middleware.mock.calls.length, accessToken.mock.calls.length]).toEqual([0, 0]);
  });

  it("before sending sends nothing", async () => {
    const { client, sent } = clientOf([]);
    const error = await client.roles.list({ signal: AbortSignal.abort("why") }).catch((caught: Error) => caught);
    expect(error).toMatchObject({ name: "AbortError", outcome: "not_sent", cause: "why" });
    expect(error).toBeInstanceOf(AbortError);
    expect(sent).toHaveLength(0);
  });

  it.each<[string, () => Step]>([
    ["during the request", () => () => new Promise<Response>(() => {})],
    ["during the body", () => stalled(200)],
    ["during the wait before a retry", () => problem(500, "internal_error")],
  ])("%s ends it at once", async (_, step) => {
    const controller = new AbortController();
    const { client, sent } = clientOf([step()]);
    const settled = client.roles.list({ signal: controller.signal }).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect(await settled).toMatchObject({ name: "AbortError", cause: { name: "AbortError" } });
    expect(sent).toHaveLength(1);
  });
});

describe("answers", () => {
  it("come as data, with the response on demand, from one request", async () => {
    const { client, sent } = clientOf([json(200, roles, { "x-request-id": "req-9" })]);
    const promise = client.roles.list();
    expect(await promise).toEqual(roles);
    const { data, response, requestId } = await promise.withResponse();
    expect([data, response.status, requestId]).toEqual([roles, 200, "req-9"]);
    expect(await response.json()).toEqual(roles);
    expect(await response.clone().text()).toBe(JSON.stringify(roles));
    expect(sent).toHaveLength(1);
  });

  it("can be read as a result, which does not throw on API errors", async () => {
    const { client } = clientOf([problem(404, "resource_not_found"), new Response(null, { status: 204 })]);
    expect(await client.members.deleteHours("m").result()).toMatchObject({
      ok: false,
      error: { code: "resource_not_found" },
    });
    expect(await client.members.deleteHours("m").result()).toMatchObject({ ok: true, data: undefined });
  });

  it("may have no body where none is documented", async () => {
    const { client } = clientOf([new Response(null, { status: 200 })]);
    await expect(client.members.deleteHours("m")).resolves.toBeUndefined();
  });

  const page = { status: 200, headers: { "content-type": "text/html; charset=utf-8" } };

  it.each<[string, () => Response, string]>([
    ["a page that is too large", () => new Response("x".repeat(10 * 1024 * 1024 + 1), page), "larger than"],
    ["JSON that is not an object", () => json(200, null), "application/json"],
    ["nothing, as a 204", () => new Response(null, { status: 204 }), "empty"],
  ])("that succeed with %s have the outcome unknown, and name the content", async (_, answer, named) => {
    const { client, sent } = clientOf([answer()]);
    const error = await settle(client.roles.list());
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ outcome: "unknown", message: expect.stringContaining(named) });
    expect(sent).toHaveLength(1);
  });

  it("of a captive portal to a placement do not claim that it was carried out", async () => {
    const { client } = clientOf([new Response("<html>Sign in</html>", page)]);
    const error = await settle(client.calls.create(placement));
    expect(error).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown" });
    expect((error as Error).message).toContain("check baseUrl");
    expect((error as Error).message).not.toContain("was carried out");
  });

  it.each<[string, Response]>([
    ["a page", new Response("<html>", { status: 404 })],
    ["nothing", new Response(null, { status: 404 })],
    ["JSON that is not an object", new Response('"no"', { status: 404 })],
    ["more than 64 KiB", new Response("x".repeat(70_000), { status: 404 })],
  ])("that fail with %s are an ApiError without a code", async (_, answer) => {
    const { client } = clientOf([answer]);
    expect(await settle(client.roles.list())).toMatchObject({
      name: "NotFoundError",
      status: 404,
      code: undefined,
      body: undefined,
    });
  });

  it.each([200, 404])("with status %i and too large a body are cancelled, not downloaded", async (status) => {
    const cancelled = vi.fn();
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
      cancel: cancelled,
    });
    const { client } = clientOf([new Response(body, { status })], { maxRetries: 0 });
    await settle(client.roles.list());
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it("whose body stalls are cancelled at the deadline, also under a fetch that ignores its signal", async () => {
    const cancelled = vi.fn();
    const { client } = clientOf([new Response(new ReadableStream({ cancel: cancelled }))], { maxRetries: 0 });
    await settle(client.roles.list({ timeoutMs: 500 }));
    expect(cancelled).toHaveBeenCalledOnce();
  });

  it.each([undefined, null, "text", {}])(
    "that are no response (%j) leave the outcome unknown and say so",
    async (given) => {
      const { client, sent } = clientOf([() => given as never]);
      expect(await settle(client.calls.create(placement))).toMatchObject({
        name: "OutcomeUnknownError",
        outcome: "unknown",
        message: expect.stringContaining("fetch returned no Response"),
      });
      expect(sent).toHaveLength(1);
    },
  );

  it("that hide the credential in what another library put on its error do not carry it into the error", async () => {
    const request = { headers: { authorization: `Bearer ${apiKey}` } };
    const inner = Object.assign(new Error("socket closed"), { code: "ECONNRESET", request });
    const { client } = clientOf([new TypeError("fetch failed", { cause: inner })], { maxRetries: 0 });
    const error = (await settle(client.roles.list())) as ConnectionError;
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(apiKey);
    expect(error.cause).toMatchObject({
      message: "fetch failed",
      cause: { message: "socket closed", code: "ECONNRESET" },
    });
  });

  it("that echo a token from before a renewal do not carry it into the error", async () => {
    const [first, second] = ["token-of-the-first-attempt", "token-of-the-second-attempt"];
    const { client } = clientOf(
      [problem(401, "token_expired"), problem(400, "bad_request", { detail: `not ${first}, not ${second}` })],
      { accountId: "a", accessToken: async ({ forceRefresh }) => (forceRefresh ? second : first) },
    );
    const error = await settle(client.roles.list());
    expect(error).toMatchObject({ code: "bad_request", detail: "not [redacted], not [redacted]" });
    expect(`${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`).not.toMatch(/token-of/);
  });
});

describe("the raw client", () => {
  it("returns openapi-fetch's results with the client's credential and retries", async () => {
    const { client, sent } = clientOf([problem(500, "internal_error"), json(200, roles)]);
    const answer = createRawClient(client).GET("/api/v1/roles", { params: {} });
    await vi.runAllTimersAsync();
    expect((await answer).data).toEqual(roles);
    expect(sent[1]?.headers.get("authorization")).toBe(`Bearer ${apiKey}`);
  });

  it("returns the API's errors and never sends a placement again", async () => {
    const { client, sent } = clientOf([problem(422, "contact_on_dnc_list"), networkError("ECONNRESET")]);
    const { error, response } = await createRawClient(client).POST("/api/v1/calls", { body: placement });
    expect([error?.code, response.status]).toEqual(["contact_on_dnc_list", 422]);
    await expect(createRawClient(client).POST("/api/v1/calls", { body: placement })).rejects.toThrow(
      OutcomeUnknownError,
    );
    expect(sent).toHaveLength(2);
  });

  it("ignores a fetch or base URL of the request: the credential goes only to the client's", async () => {
    const elsewhere = vi.fn();
    const { client, sent } = clientOf([json(200, roles)]);
    await createRawClient(client).GET("/api/v1/roles", {
      fetch: elsewhere,
      baseUrl: "https://evil.example.com",
    } as never);
    expect(elsewhere).not.toHaveBeenCalled();
    expect(sent[0]?.url).toBe("https://api.example.com/api/v1/roles");
  });

  it("rejects a path to another host, and accepts null for no init", async () => {
    const { client, sent } = clientOf([json(200, roles)]);
    for (const path of [".evil.example.com/x", ":81/x", "@evil.example.com/x", "", undefined]) {
      await expect(createRawClient(client).GET(path as never)).rejects.toThrow("must start with one /");
    }
    expect(sent).toHaveLength(0);
    expect((await createRawClient(client).GET("/api/v1/roles", null as never)).data).toEqual(roles);
  });

  it("sends a body that is not text only once, whatever the operation", async () => {
    const { client, sent } = clientOf([problem(429, "rate_limit_exceeded")]);
    const bodySerializer = () => new Blob(["{}"]);
    const { error } = await createRawClient(client).POST("/api/v1/transfers/destination-groups", {
      body: group,
      bodySerializer,
    });
    expect([error?.code, sent.length]).toEqual(["rate_limit_exceeded", 1]);
    // Node's fetch requires this for a stream.
    expect(sent[0]?.init).toMatchObject({ body: expect.any(Blob), duplex: "half" });
  });

  it("sends an unknown operation only once, and rejects missing IDs", async () => {
    const { client, sent } = clientOf([networkError("ECONNRESET")]);
    await expect(createRawClient(client).POST("/api/v1/newer" as never, {} as never)).rejects.toThrow(
      OutcomeUnknownError,
    );
    await expect(
      createRawClient(client).DELETE("/api/v1/transfers/members/{memberId}/hours", {} as never),
    ).rejects.toThrow(InvalidArgumentError);
    expect(sent).toHaveLength(1);
  });
});

describe("one signal for many requests", () => {
  it("gets one listener, which ends each of them, and none afterwards", async () => {
    const aborting = new AbortController();
    const add = vi.spyOn(aborting.signal, "addEventListener");
    const remove = vi.spyOn(aborting.signal, "removeEventListener");
    const answered = clientOf(Array.from({ length: 20 }, () => json(200, { roles: [] }))).client;
    await Promise.all(Array.from({ length: 20 }, () => answered.roles.list({ signal: aborting.signal })));
    expect([add.mock.calls.length, remove.mock.calls.length]).toEqual([1, 1]);
    const hanging = clientOf(Array.from({ length: 20 }, () => () => new Promise<Response>(() => {}))).client;
    const requests = Array.from({ length: 20 }, () => hanging.roles.list({ signal: aborting.signal }).result());
    await vi.waitFor(() => expect(add).toHaveBeenCalledTimes(2));
    aborting.abort();
    const names = (await Promise.all(requests)).map(({ error }) => error?.name);
    expect(names).toEqual(Array.from({ length: 20 }, () => "AbortError"));
    expect((await answered.roles.list({ signal: aborting.signal }).result()).error?.name).toBe("AbortError");
  });
});

describe("a client of a class of the caller's", () => {
  class Own extends CallTransfer {
    readonly tenant: string;
    constructor(tenant: string) {
      super({ baseUrl: "https://api.example.com", apiKey, fetch: async () => json(200, { roles: [tenant] }) });
      this.tenant = tenant;
    }
    greet() {
      return `${this.tenant} ${typeof this.roles.list}`;
    }
  }
  it("keeps its class, methods and fields in a copy, which obeys its options", async () => {
    const fetch = async (_url: unknown, init?: RequestInit) =>
      json(200, { roles: [new Headers(init?.headers).get("x-account-id")] });
    const copy = new Own("t1").withOptions({ accountId: "b", fetch });
    expect([copy instanceof Own, copy.greet()]).toEqual([true, "t1 function"]);
    expect(await copy.withOptions({ accountId: "c" }).roles.list()).toEqual({ roles: ["c"] });
  });

  it("is left alone by Vue's reactive(), also a plain one", () => {
    for (const client of [new Own("t1"), clientOf([]).client])
      expect((client as unknown as { __v_skip?: unknown }).__v_skip).toBe(true);
  });
});
