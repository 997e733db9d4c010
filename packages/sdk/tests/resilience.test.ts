import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallTransfer } from "../src/client.ts";
import { ApiError, InvalidResponseError, OutcomeUnknownError } from "../src/index.ts";
import type { ClientOptions } from "../src/options/options.ts";
import { settle } from "./settle.ts";
import { apiKey, clientOf, json, networkError, problem, type Step } from "./test-server.ts";

const roles = { roles: [] };
const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const placed = (): Response => json(201, { type: "initiated", callId: "c" });
const list = (calls: { id: string }[], total = calls.length): Response => json(200, { calls, meta: { total } });
const call = (id: string) => ({ id, direction: "outbound", duration: 0 });
const start = Date.parse("2026-03-02T12:00:00Z");
const { "x-limits": limits, paths } = JSON.parse(
  readFileSync(new URL("../../spec/openapi.json", import.meta.url), "utf8"),
) as {
  readonly "x-limits": { readonly previousSecretOverlapHours: number };
  readonly paths: {
    readonly "/api/v1/calls": {
      readonly get: { readonly parameters: { name: string; schema: { maximum?: number } }[] };
    };
  };
};

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

async function unknownOf(script: Step[], options: Partial<ClientOptions> = {}) {
  const { client, sent } = clientOf(script, options);
  const error = await settle(client.calls.create(placement));
  if (!(error instanceof OutcomeUnknownError)) throw new Error(`no unknown outcome: ${inspect(error)}`);
  return { error, sent };
}

describe("an unknown outcome", () => {
  it("names the window in which it may have been carried out, by the server's clock less five seconds", async () => {
    const ahead = new Response(null, { status: 500, headers: { date: "Mon, 02 Mar 2026 12:10:00 GMT" } });
    const { error } = await unknownOf([ahead]);
    expect(error.window).toEqual({
      start: "2026-03-02T12:09:55.000Z",
      end: "2026-03-02T12:10:05.000Z",
      byServerClock: true,
    });
  });

  it("widens the window to five minutes if no Date header shows how the clocks differ", async () => {
    const { error } = await unknownOf([networkError("ECONNRESET")]);
    expect(error.window).toEqual({
      start: "2026-03-02T11:55:00.000Z",
      end: "2026-03-02T12:05:00.000Z",
      byServerClock: false,
    });
  });

  it.each(["Fri, 13 Sep 275760 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "soon"])(
    "does not trust a Date that no honest clock shows (%s)",
    async (date) => {
      const { error } = await unknownOf([new Response(null, { status: 502, headers: { date } })]);
      expect(error.window.start).toBe("2026-03-02T11:55:00.000Z");
    },
  );

  it("covers a success whose body is lost, and does not print the part that arrived", async () => {
    const half = new Response('{"type":"initiated","callId":"c-', { status: 201 });
    const { error } = await unknownOf([half]);
    expect(error).toMatchObject({ outcome: "applied", cause: { name: "InvalidResponseError" } });
    expect(error.partialBody).toBe('{"type":"initiated","callId":"c-');
    expect(`${inspect(error, { showHidden: false })}${JSON.stringify(error)}`).not.toContain("c-");
  });

  it("of an aborted placement is reported instead of the abort", async () => {
    const controller = new AbortController();
    const { client } = clientOf([() => new Promise<Response>(() => {})]);
    const settled = client.calls.create(placement, { signal: controller.signal }).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect(await settled).toMatchObject({ name: "OutcomeUnknownError", cause: { name: "AbortError" } });
  });

  it("of a rotation says until when the previous secret signs, by the server's time if it is known", async () => {
    const { client } = clientOf([networkError("ECONNRESET"), json(200, roles), networkError("ECONNRESET")]);
    const lost = async () => (await settle(client.destinations.rotateSecret("d"))) as OutcomeUnknownError;
    const cold = await lost();
    const { candidates, complete, explanation } = await cold.reconcile();
    expect([candidates, complete]).toEqual([[], false]);
    expect(explanation).toContain(`until ${limits.previousSecretOverlapHours} hours after the request`);
    expect(explanation).toContain("voids");
    await client.roles.list();
    expect((await (await lost()).reconcile()).explanation).toContain(
      `until ${new Date(start - 5000 + limits.previousSecretOverlapHours * 3_600_000).toISOString()}`,
    );
  });
});

describe("reconcile", () => {
  it("reads every page of calls since the start of the window", async () => {
    const pages = [list([call("a"), call("b")], 3), list([call("c")], 3)];
    const { error, sent } = await unknownOf([networkError("ECONNRESET"), ...pages]);
    const { candidates, complete, explanation } = await error.reconcile();
    expect(candidates).toEqual([call("a"), call("b"), call("c")]);
    expect(complete).toBe(true);
    expect(explanation).toContain("3 listed");
    const [first, second] = sent.slice(1).map(({ url }) => new URL(url).searchParams);
    expect([first?.get("startDate"), first?.get("limit"), second?.get("offset")]).toEqual([
      "2026-03-02T11:55:00.000Z",
      String(paths["/api/v1/calls"].get.parameters.find(({ name }) => name === "limit")?.schema.maximum),
      "2",
    ]);
  });

  it("does not treat an empty list as proof", async () => {
    const { error } = await unknownOf([networkError("ECONNRESET"), list([])]);
    expect(await error.reconcile()).toMatchObject({
      candidates: [],
      complete: true,
      explanation: expect.stringContaining("does not prove"),
    });
  });

  it.each([
    ["grows", [list([call("a")], 2), list([call("b")], 3), list([call("c")], 3)], ["a", "b", "c"]],
    ["shrinks and is read again", [list([call("a"), call("b")], 3), list([], 2), list([call("b")], 2)], ["a", "b"]],
    [
      "shrinks and grows again",
      [list([call("a")], 3), list([call("c")], 2), list([call("d")], 3), list([call("a")], 3), list([call("c")], 3)],
      ["a", "c", "d"],
    ],
    [
      "gives a page twice before the next one",
      [list([call("a")], 2), list([call("a")], 2), list([call("a")], 2), list([call("b")], 2)],
      ["a", "b"],
    ],
  ])("is incomplete when the list %s", async (_, pages, found) => {
    const { error } = await unknownOf([networkError("ECONNRESET"), ...pages]);
    expect(await error.reconcile()).toMatchObject({ complete: false, candidates: found.map((id) => call(id)) });
  });

  it("is incomplete and says where it stopped when the list ends before its total", async () => {
    const pages = Array.from({ length: 4 }, () => list([], 2));
    const { error } = await unknownOf([networkError("ECONNRESET"), list([call("a")], 2), ...pages]);
    const { complete, candidates, explanation } = await error.reconcile();
    expect([complete, candidates]).toEqual([false, [call("a")]]);
    expect(explanation).toContain("continue with offset: 1");
  });

  it("is incomplete when the list does not say how long it is", async () => {
    const unknown = (calls: object[]) => json(200, { calls, meta: { total: "2" } });
    const { error } = await unknownOf([networkError("ECONNRESET"), unknown([call("a"), call("b")]), unknown([])]);
    expect(await error.reconcile()).toMatchObject({ complete: false, candidates: [call("a"), call("b")] });
  });

  it("is incomplete and says why when the list cannot be read", async () => {
    const { error } = await unknownOf([networkError("ECONNRESET"), problem(403, "forbidden")]);
    expect(await error.reconcile()).toMatchObject({
      complete: false,
      explanation: expect.stringContaining("forbidden"),
    });
  });
});

describe("a search for candidates", () => {
  const lookingFor = (options: Partial<ClientOptions>, script: Step[]) =>
    clientOf(script, { retry: { onUnknownOutcome: "check" }, ...options });

  it("uses the account of the request", async () => {
    const { client, sent } = lookingFor({ accountId: "main" }, [
      networkError("ECONNRESET"),
      list([call("a")]),
      list([]),
    ]);
    const error = await settle(client.calls.create(placement, { accountId: "other", headers: { "x-team": "t" } }));
    await (error as OutcomeUnknownError).reconcile();
    expect(sent.map(({ headers }) => [headers.get("x-account-id"), headers.get("x-team")])).toEqual(
      Array.from({ length: 3 }, () => ["other", "t"]),
    );
  });

  it("ends with the caller's abort", async () => {
    const controller = new AbortController();
    const { client, sent } = lookingFor({}, [networkError("ECONNRESET"), () => new Promise<Response>(() => {})]);
    const settled = client.calls.create(placement, { signal: controller.signal }).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toHaveLength(2);
    controller.abort();
    expect(await settled).toBeInstanceOf(OutcomeUnknownError);
  });

  it("counts towards totalTimeoutMs, after which nothing is sent", async () => {
    const slowList: Step = () => new Promise((resolve) => setTimeout(() => resolve(list([])), 400));
    const { client, sent } = lookingFor({ random: () => 0 }, [networkError("ECONNRESET"), slowList, placed()]);
    const started = Date.now();
    const settled = client.calls
      .create(placement, { totalTimeoutMs: 300 })
      .catch((error: Error) => ({ error, at: Date.now() }));
    await vi.runAllTimersAsync();
    expect(await settled).toMatchObject({ error: { name: "OutcomeUnknownError" }, at: started + 300 });
    expect(sent.map(({ init }) => init.method)).toEqual(["POST", "GET"]);
  });
});

describe("retry.onUnknownOutcome", () => {
  it.each<[string, Step]>([
    ["a call is listed", list([call("a")])],
    ["the list cannot be read", problem(403, "forbidden")],
  ])("check does not send again when %s", async (_, answer) => {
    const { sent } = await unknownOf([networkError("ECONNRESET"), answer], { retry: { onUnknownOutcome: "check" } });
    expect(sent).toHaveLength(2);
  });

  it("check never repeats a rotation, which no list contains", async () => {
    const { client, sent } = clientOf([networkError("ECONNRESET")], { retry: { onUnknownOutcome: "check" } });
    expect(await settle(client.destinations.rotateSecret("d"))).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
  });

  it("of a request replaces the client's, and leaves its other fields as they are", async () => {
    const lost = () => networkError("ECONNRESET");
    const { client, sent } = clientOf([lost(), lost(), placed()], {
      maxRetries: 1,
      retry: { onUnknownOutcome: "retry" },
    });
    const thrown = await settle(client.calls.create(placement, { retry: { onUnknownOutcome: "throw" } }));
    expect(thrown).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
    expect(await settle(client.calls.create(placement, { maxRetries: 1 }))).toEqual({
      type: "initiated",
      callId: "c",
    });
    expect(sent).toHaveLength(3);
  });

  it("stays in a copy of the client that changes another field of retry", async () => {
    const { client, sent } = clientOf([networkError("ECONNRESET"), placed()], {
      maxRetries: 0,
      retry: { onUnknownOutcome: "retry" },
    });
    const copy = client.withOptions({ maxRetries: 1 });
    expect(await settle(copy.calls.create(placement))).toEqual({ type: "initiated", callId: "c" });
    expect(sent).toHaveLength(2);
  });
});

describe("an expired access token", () => {
  const expired = (): Response => problem(401, "token_expired");
  const options = { accountId: "a" };

  it("is renewed once for all concurrent requests, also of a copy, and the attempt is not counted as a retry", async () => {
    const accessToken = vi.fn(async ({ forceRefresh }: { forceRefresh: boolean }) => (forceRefresh ? "new" : "old"));
    const answer: Step = ({ headers }) =>
      new Headers(headers).get("authorization") === "Bearer new" ? json(200, roles) : expired();
    const { client, sent } = clientOf(
      Array.from({ length: 6 }, () => answer),
      { ...options, accessToken, maxRetries: 0 },
    );
    await Promise.all([client.roles.list(), client.roles.list(), client.withOptions({ accountId: "b" }).roles.list()]);
    expect(sent).toHaveLength(6);
    expect(accessToken.mock.calls.filter(([{ forceRefresh }]) => forceRefresh)).toHaveLength(1);
  });

  it("is renewed again after a failed renewal", async () => {
    const accessToken = vi.fn(async ({ forceRefresh }: { forceRefresh: boolean }) => (forceRefresh ? "new" : "old"));
    accessToken.mockResolvedValueOnce("old").mockRejectedValueOnce(new RangeError("login down"));
    const answer: Step = ({ headers }) =>
      new Headers(headers).get("authorization") === "Bearer new" ? json(200, roles) : expired();
    const { client } = clientOf([answer, answer, answer], { ...options, accessToken });
    expect(await settle(client.roles.list())).toMatchObject({ name: "RequestError", cause: { message: "login down" } });
    expect(await settle(client.roles.list())).toEqual(roles);
  });

  it("is renewed only once per request", async () => {
    const { client, sent } = clientOf([expired(), expired()], { ...options, accessToken: async () => "token" });
    expect(await settle(client.roles.list())).toMatchObject({ code: "token_expired" });
    expect(sent).toHaveLength(2);
  });

  it("given as plain text, or refused for another reason, is not renewed", async () => {
    const plain = clientOf([expired()], { ...options, accessToken: "token" });
    expect(await settle(plain.client.roles.list())).toMatchObject({ code: "token_expired" });
    const invalid = clientOf([problem(401, "token_invalid")], { ...options, accessToken: async () => "token" });
    expect(await settle(invalid.client.roles.list())).toMatchObject({ code: "token_invalid" });
    expect([plain.sent.length, invalid.sent.length]).toEqual([1, 1]);
  });

  it("is asked for again when the renewed one expires in turn, even if the function keeps giving the old one", async () => {
    const accessToken = vi.fn(async ({ forceRefresh }: { forceRefresh: boolean }) => {
      const renewals = accessToken.mock.calls.filter(([request]) => request.forceRefresh).length;
      return forceRefresh ? `renewed-${renewals}` : "lagging";
    });
    let good = "renewed-1";
    const answer: Step = ({ headers }) =>
      new Headers(headers).get("authorization") === `Bearer ${good}` ? json(200, roles) : expired();
    const { client } = clientOf(
      Array.from({ length: 9 }, () => answer),
      { ...options, accessToken },
    );
    expect(await settle(client.roles.list())).toEqual(roles);
    good = "renewed-2";
    expect(await settle(client.roles.list())).toMatchObject({ code: "token_expired" });
    expect(await settle(client.roles.list())).toEqual(roles);
  });

  it("that a renewal replaced while it was on its way is exchanged for that renewal's token", async () => {
    let current = "first-token";
    let renewals = 0;
    const accessToken = async ({ forceRefresh }: { forceRefresh: boolean }) => {
      if (forceRefresh) current = `renewed-${++renewals}`;
      return current;
    };
    let good = "none";
    const answer: Step = ({ headers }) =>
      new Headers(headers).get("authorization") === `Bearer ${good}` ? json(200, roles) : expired();
    const { client } = clientOf(
      Array.from({ length: 9 }, () => answer),
      { ...options, accessToken },
    );
    good = "renewed-1";
    expect(await settle(client.roles.list())).toEqual(roles);
    good = "renewed-2";
    expect(await settle(client.roles.list())).toEqual(roles);
    expect(renewals).toBe(2);
  });

  it("whose renewal hangs ends with the request's deadline or the caller's abort", async () => {
    const accessToken = ({ forceRefresh }: { forceRefresh: boolean }) =>
      forceRefresh ? new Promise<string>(() => {}) : Promise.resolve("old");
    const { client } = clientOf([expired(), expired()], { ...options, accessToken });
    const started = Date.now();
    expect(await settle(client.roles.list({ totalTimeoutMs: 300 }))).toMatchObject({
      name: "TimeoutError",
      outcome: "rejected",
    });
    expect(Date.now() - started).toBe(300);
    const controller = new AbortController();
    const settled = client.roles.list({ signal: controller.signal }).catch((error: Error) => error);
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    expect(await settled).toMatchObject({ name: "AbortError" });
  });

  it("is not replaced after the total deadline: nothing is sent any more", async () => {
    const accessToken = ({ forceRefresh }: { forceRefresh: boolean }) =>
      new Promise<string>((resolve) => setTimeout(() => resolve("token"), forceRefresh ? 400 : 0));
    const { client, sent } = clientOf([expired(), placed()], { ...options, accessToken });
    expect(await settle(client.calls.create(placement, { totalTimeoutMs: 300 }))).toMatchObject({
      name: "TimeoutError",
    });
    expect(sent).toHaveLength(1);
  });

  it("is an error of the SDK if the token function fails, with what it threw as the cause", async () => {
    class SignedOut extends Error {}
    const thrown = new SignedOut("signed out");
    const { client, sent } = clientOf([], { ...options, accessToken: () => Promise.reject(thrown) });
    const { ok, error } = await client.roles.list().result();
    expect(ok).toBe(false);
    expect(error).toMatchObject({
      ...{ name: "RequestError", outcome: "not_sent", operationId: "listRoles" },
      message: "listRoles failed: middleware or the accessToken function threw: signed out",
    });
    expect(error?.cause).toBe(thrown);
    expect(sent).toEqual([]);
  });

  it("is renewed seldom while each renewed token is refused, and at once when one was accepted", async () => {
    let renewals = 0;
    let isAccepted = false;
    const accessToken = async ({ forceRefresh }: { forceRefresh: boolean }) =>
      forceRefresh ? `renewed-${++renewals}` : "old-token";
    const answer: Step = ({ headers }) =>
      isAccepted && new Headers(headers).get("authorization") !== "Bearer old-token" ? json(200, roles) : expired();
    const { client } = clientOf(
      Array.from({ length: 1000 }, () => answer),
      { ...options, accessToken },
    );
    const list = () => settle(client.roles.list());
    for (let call = 0; call < 50; call++) expect(await list()).toMatchObject({ code: "token_expired" });
    expect(renewals).toBe(2);
    expect(await list()).toMatchObject({
      retrySkippedReason: "token_still_expired",
    });
    for (const [pause, total] of [
      [999, 2],
      [1, 3],
      [1999, 3],
      [1, 4],
      [4000, 5],
      [8000, 6],
      [16_000, 7],
      [32_000, 8],
      [59_999, 8],
      [1, 9],
      [60_000, 10],
    ] as const) {
      await vi.advanceTimersByTimeAsync(pause);
      await Promise.all([list(), list()]);
      expect([pause, renewals]).toEqual([pause, total]);
    }
    isAccepted = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await list()).toEqual(roles);
    expect(renewals).toBe(11);
    isAccepted = false;
    expect(await list()).toMatchObject({ code: "token_expired" });
    isAccepted = true;
    expect(await list()).toEqual(roles);
    expect(renewals).toBe(12);
  });

  it("is renewed for a healthy account although each token of another account is refused", async () => {
    let minted = 0;
    let isStale = true;
    const accessToken = async ({ forceRefresh }: { forceRefresh: boolean }) => {
      if (forceRefresh) isStale = false;
      return `token-${++minted}`;
    };
    const answer: Step = ({ headers }) =>
      isStale || new Headers(headers).get("x-account-id") === "sick" ? expired() : json(200, roles);
    const healthy = clientOf(
      Array.from({ length: 200 }, () => answer),
      { ...options, accessToken },
    ).client;
    const sick = healthy.withOptions({ accountId: "sick" });
    await settle(healthy.roles.list());
    for (let call = 0; call < 12; call++) {
      await settle(sick.roles.list());
      expect(await settle(healthy.roles.list())).toEqual(roles);
    }
    isStale = true;
    expect(await settle(healthy.roles.list())).toEqual(roles);
  });

  it("is never sent or shown if the function returns something else than a token", async () => {
    const { client, sent } = clientOf([], { ...options, accessToken: async () => "secret\nvalue" });
    await expect(client.roles.list()).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.not.stringContaining("secret"),
    });
    expect(sent).toHaveLength(0);
  });
});

describe("the retry budget", () => {
  it("keeps the load of a lasting outage within a tenth above that of first attempts", async () => {
    const { client, sent } = clientOf(Array.from({ length: 4000 }, () => problem(500, "internal_error")));
    for (let i = 0; i < 2000; i++) await settle(client.roles.list());
    expect(sent.length).toBeLessThanOrEqual(2200);
    expect(await settle(client.roles.list())).toMatchObject({
      retrySkippedReason: "retry_budget",
    });
  });

  it.each([
    ["is not used by the retry of a 429 that says how long to wait", 429, { retryAfterSecs: 1 }, 240],
    ["is used by the retry of a 429 that does not", 429, {}, 220],
    ["is used by the retry of a 503, whatever it says", 503, { retryAfterSecs: 1 }, 220],
  ] as const)("%s", async (_, status, meta, count) => {
    const fetch = vi.fn(async () => problem(status, "service_error", { meta }));
    const { client } = clientOf([], { fetch, maxRetries: 1, random: () => 0 });
    for (let i = 0; i < 120; i++) await settle(client.roles.list());
    expect(fetch).toHaveBeenCalledTimes(count);
  });

  it("is shared by copies with other options, and can be switched off", async () => {
    const answers = () => Array.from({ length: 400 }, () => problem(500, "internal_error"));
    const { client, sent } = clientOf(answers());
    for (let i = 0; i < 50; i++) await settle(client.roles.list());
    expect(sent).toHaveLength(150);
    await settle(client.withOptions({ timeoutMs: 5 }).roles.list());
    expect(sent).toHaveLength(151);
    const unbounded = clientOf(answers(), { retry: { budget: false } });
    for (let i = 0; i < 100; i++) await settle(unbounded.client.roles.list());
    expect(unbounded.sent).toHaveLength(300);
  });

  it.each<[where: string, send: (client: CallTransfer, accountId: string) => Promise<unknown>]>([
    ["copies", (client, accountId) => client.withOptions({ accountId }).roles.list()],
    ["requests", (client, accountId) => client.roles.list({ accountId })],
  ])("of an account is not used by another one, whose requests all fail, with accounts of %s", async (_, send) => {
    let requests = 0;
    // Each request of the other account succeeds when it is sent again.
    const fetch = async (_url: unknown, { headers }: RequestInit = {}) =>
      new Headers(headers).get("x-account-id") === "down" || ++requests % 2 === 1
        ? problem(503, "service_error")
        : json(200, roles);
    const { client } = clientOf([], { fetch });
    const results = async (accountId: string) => {
      const all: unknown[] = [];
      for (let i = 0; i < 50; i++) all.push(await settle(send(client, accountId)));
      return all;
    };
    expect(await results("down")).toEqual(Array.from({ length: 50 }, () => expect.any(ApiError)));
    expect(await results("up")).toEqual(Array.from({ length: 50 }, () => roles));
  });
});

describe("middleware", () => {
  it("runs around every attempt, the client's outside the request's, with its place", async () => {
    const seen: string[] = [];
    const named = (name: string) => async (_: unknown, next: () => Promise<Response>, context: object) => {
      seen.push(`${name} ${JSON.stringify(context)}`);
      return next();
    };
    const { client } = clientOf([problem(500, "internal_error"), json(200, roles)], { middleware: [named("client")] });
    await settle(client.members.getAvailability("m 1", { middleware: [named("request")] }));
    const context = (attemptNumber: number) =>
      JSON.stringify({
        operationId: "getMemberAvailability",
        route: "/api/v1/transfers/members/{memberId}/availability",
        attemptNumber,
      });
    expect(seen).toEqual([
      `client ${context(1)}`,
      `request ${context(1)}`,
      `client ${context(2)}`,
      `request ${context(2)}`,
    ]);
  });

  it("can add headers and read the body, but never sees the credential", async () => {
    let seen = "";
    const { client, sent } = clientOf([json(200, roles)], {
      middleware: [
        async (request, next) => {
          seen = JSON.stringify([...request.headers]);
          request.headers.set("x-trace", "t");
          const response = await next();
          seen += await response.text();
          seen += JSON.stringify([...request.headers]);
          return response;
        },
      ],
    });
    expect(await client.roles.list()).toEqual(roles);
    expect(sent[0]?.headers.get("x-trace")).toBe("t");
    expect(seen).toContain('"roles"');
    expect(seen).not.toContain(apiKey);
  });
});

describe("reporting", () => {
  const logger = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });

  it("the logger receives attempts and retries but no secrets", async () => {
    const log = logger();
    const echo = problem(500, "internal_error", { detail: apiKey });
    const { client } = clientOf([echo, networkError("ECONNRESET"), json(200, roles, { "x-request-id": "req-2" })], {
      logger: log,
      random: () => 1,
      maxRetries: 2,
    });
    await settle(client.roles.list());
    expect(log.debug.mock.calls.flat()).toEqual([
      "call-transfer: listRoles attempt 1 answered 500 internal_error in 0 ms (request req-1)",
      "call-transfer: listRoles attempt 2 could not be sent or lost its connection: fetch failed (ECONNRESET) in 0 ms",
      "call-transfer: listRoles attempt 3 answered 200 in 0 ms (request req-2)",
    ]);
    expect(log.warn.mock.calls.flat()).toEqual([
      "call-transfer: listRoles attempt 1 answered 500 internal_error in 0 ms (request req-1); retried in 500 ms",
      "call-transfer: listRoles attempt 2 could not be sent or lost its connection: fetch failed (ECONNRESET) in 0 ms; retried in 1000 ms",
    ]);
    expect(JSON.stringify([log.debug, log.warn].map((fn) => fn.mock.calls))).not.toContain(apiKey);
  });

  it("a logger that throws does not break the request", async () => {
    const broken = () => {
      throw new Error("disk full");
    };
    const { client, sent } = clientOf([placed()], {
      logger: { debug: broken, info: broken, warn: broken, error: broken },
    });
    expect(await client.calls.create(placement)).toEqual({ type: "initiated", callId: "c" });
    expect(sent).toHaveLength(1);
  });

  it("onRetry receives each retry, and may throw", async () => {
    const events: unknown[] = [];
    const onRetry: NonNullable<ClientOptions["onRetry"]> = (event) => {
      events.push({ ...event, attempt: { ...event.attempt } });
      throw new Error("listener broken");
    };
    const { client } = clientOf([problem(429, "rate_limit_exceeded"), json(200, roles)], { onRetry });
    expect(await settle(client.roles.list())).toEqual(roles);
    expect(events).toMatchObject([
      { operationId: "listRoles", nextAttemptNumber: 2, attempt: { status: 429, delayMs: expect.any(Number) } },
    ]);
  });

  it("an onRetry whose promise fails, and a deprecation that echoes the credential, do no harm", async () => {
    const log = logger();
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const headers = { deprecation: apiKey };
    const { client } = clientOf([problem(500, "internal_error"), json(200, roles, headers)], {
      logger: log,
      onRetry: () => Promise.reject(new Error("metrics down")),
    });
    expect(await settle(client.roles.list())).toEqual(roles);
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(log.error.mock.calls.flat()).toEqual(["call-transfer: onRetry threw: metrics down"]);
    expect(log.warn.mock.calls.flat().join()).toContain("is deprecated ([redacted])");
  });

  it("deprecations are logged once per operation", async () => {
    const log = logger();
    const headers = { deprecation: "@1767225600", sunset: "Fri, 01 Jan 2027 00:00:00 GMT" };
    const { client } = clientOf([json(200, roles, headers), json(200, roles, headers)], { logger: log });
    await client.roles.list();
    await client.withOptions({ accountId: "b" }).roles.list();
    expect(log.warn.mock.calls.flat()).toEqual([
      "call-transfer: listRoles is deprecated (@1767225600) and will stop working on Fri, 01 Jan 2027 00:00:00 GMT",
    ]);
  });
});

describe("responseValidator", () => {
  it("receives the operationId and the body, and rejects the response by throwing", async () => {
    const responseValidator = vi.fn(() => {
      throw new TypeError("roles is odd");
    });
    const { client } = clientOf([json(200, roles)], { responseValidator });
    const error = await settle(client.roles.list());
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ outcome: "applied", cause: { message: "roles is odd" } });
    expect(responseValidator).toHaveBeenCalledExactlyOnceWith("listRoles", roles);
  });

  it("is not asked about a success without a body, or about an error", async () => {
    const responseValidator = vi.fn();
    const { client } = clientOf([new Response(null, { status: 204 }), problem(404, "not_found")], {
      responseValidator,
    });
    await client.members.deleteHours("m");
    await settle(client.roles.list());
    expect(responseValidator).not.toHaveBeenCalled();
  });
});

describe("withOptions", () => {
  it("returns a copy for another account and does not change the client", async () => {
    const { client, sent } = clientOf([json(200, roles), json(200, roles)], { accountId: "a" });
    await client.withOptions({ accountId: "b" }).roles.list();
    await client.roles.list();
    expect(sent.map(({ headers }) => headers.get("x-account-id"))).toEqual(["b", "a"]);
  });

  it("returns a copy without options, and rejects anything but an object", () => {
    const { client } = clientOf([]);
    expect(client.withOptions()).toBeInstanceOf(CallTransfer);
    for (const wrong of [null, "https://api.example.com", 1] as never[])
      expect(() => client.withOptions(wrong)).toThrow(
        expect.objectContaining({ name: "ConfigurationError", option: "options" }),
      );
  });

  it("replaces a credential of one kind by one of the other", async () => {
    const { client, sent } = clientOf([json(200, { accounts: [] })]);
    await client.withOptions({ accessToken: "token" }).accounts.list();
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer token");
  });
});

describe("a browser", () => {
  it("may not use an API key, unless dangerouslyAllowBrowser is set", () => {
    for (const name of ["window", "document"]) vi.stubGlobal(name, {});
    const options = { baseUrl: "https://api.example.com", apiKey };
    expect(() => new CallTransfer(options)).toThrow("dangerouslyAllowBrowser");
    expect(new CallTransfer({ ...options, dangerouslyAllowBrowser: true })).toBeInstanceOf(CallTransfer);
    vi.unstubAllGlobals();
  });

  it("is also recognized in web workers", () => {
    vi.stubGlobal("importScripts", () => {});
    expect(() => new CallTransfer({ baseUrl: "https://api.example.com", apiKey })).toThrow("dangerouslyAllowBrowser");
    vi.unstubAllGlobals();
  });

  it("shows a redirect as status 0, which is the same error", async () => {
    const opaque = Object.defineProperties(new Response(null), {
      status: { value: 0 },
      ok: { value: false },
      type: { value: "opaqueredirect" },
    });
    const { client } = clientOf([opaque]);
    const error = await settle(client.roles.list());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 0, code: undefined, outcome: "rejected" });
  });
});
