// What hostile or careless code around a request must not be able to do.
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CallTransfer } from "../src/client.ts";
import type { ClientOptions, Middleware } from "../src/options/options.ts";
import { settle } from "./settle.ts";
import { clientOf, json, problem, type Step, stalled } from "./test-server.ts";

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const roles = { roles: [] };
const placed = () => json(201, { type: "initiated", callId: "c" });
const stray: unknown[] = [];
const note = (reason: unknown) => stray.push(reason);

beforeEach(() => {
  vi.useFakeTimers();
  stray.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(stray).toEqual([]);
});

/** Sends a request, lets all time pass, and gives its error or data with what was sent until the very end. */
async function outcomeOf(
  script: Step[],
  options: Partial<ClientOptions> = {},
  call: (client: CallTransfer) => Promise<unknown> = (client) => client.calls.create(placement),
) {
  const { client, sent } = clientOf(script, options);
  const settled = call(client).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return { result: (await settled) as Error & Record<string, unknown>, sent };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const slowToken = { accountId: "a", accessToken: () => sleep(400).then(() => "a-slow-token") };

describe("an attempt that middleware ended", () => {
  const abandoning: Readonly<Record<string, Middleware>> = {
    "by a time limit of its own": (_request, next) =>
      Promise.race([next(), sleep(100).then(() => problem(503, "service_unavailable"))]),
    "without waiting": async (_request, next) => {
      next();
      return problem(400, "bad_request");
    },
    "by an error": async (_request, next) => {
      next().catch(() => {});
      throw new RangeError("oops");
    },
  };
  it.each(Object.keys(abandoning))("%s sends nothing afterwards", async (name) => {
    const middleware = [abandoning[name] as Middleware];
    const { result, sent } = await outcomeOf([placed(), placed(), placed()], { ...slowToken, middleware });
    expect(result).toBeInstanceOf(Error);
    expect(sent).toHaveLength(0);
  });

  it("during its request aborts it and leaves the outcome unknown", async () => {
    let aborted = false;
    const hanging: Step = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => {
          aborted = true;
          reject(signal.reason);
        });
      });
    const middleware = [abandoning["by a time limit of its own"] as Middleware];
    const { result, sent } = await outcomeOf([hanging, placed()], { middleware });
    expect(result).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown" });
    expect([sent.length, aborted]).toEqual([1, true]);
  });

  it("cannot be revived by a next() that was kept", async () => {
    let kept: (() => Promise<Response>) | undefined;
    const keeping: Middleware = async (_request, next) => {
      kept = next;
      return problem(400, "bad_request");
    };
    const { sent } = await outcomeOf([placed()], { middleware: [keeping] });
    await expect(kept?.()).rejects.toThrow("after its middleware returned");
    expect(sent).toHaveLength(0);
  });
});

describe("a body chunk that is not bytes", () => {
  it("does not hide that a call was placed", async () => {
    const decode: Middleware = async (_request, next) => {
      const response = await next();
      return new Response(response.body?.pipeThrough(new TextDecoderStream()) as never, response);
    };
    const { result } = await outcomeOf([placed()], { middleware: [decode] });
    expect(result).toMatchObject({ name: "OutcomeUnknownError", outcome: "applied" });
  });
});

it("a response without an HTTP status leaves the outcome of a placement unknown", async () => {
  const { result, sent } = await outcomeOf([() => Response.error(), placed()]);
  expect(result).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown" });
  expect(result.message).not.toContain("redirect");
  expect(sent).toHaveLength(1);
});

describe("a renewal", () => {
  const expired = () => problem(401, "token_expired");
  const accepting =
    (good: string): Step =>
    ({ headers }) =>
      new Headers(headers).get("authorization") === `Bearer ${good}` ? json(200, roles) : expired();

  /** A token function whose first renewal never ends, as on Workers after its request was cut off. */
  const hangingOnce = () => {
    let renewals = 0;
    const accessToken = ({ forceRefresh }: { forceRefresh: boolean }) => {
      if (!forceRefresh) return Promise.resolve("old-token");
      renewals += 1;
      return renewals === 1 ? new Promise<string>(() => {}) : sleep(10).then(() => `renewed-${renewals}`);
    };
    const { client } = clientOf(
      Array.from({ length: 40 }, () => accepting("renewed-2")),
      { accountId: "a", accessToken, logLevel: "off" },
    );
    return { client, renewals: () => renewals };
  };
  const nameOf = (error: Error) => error.name;

  it("is made once for a crowd of requests, also where the new token is expired as well", async () => {
    let renewals = 0;
    const accessToken = async ({ forceRefresh }: { forceRefresh: boolean }) => {
      if (!forceRefresh) return "old-token";
      await new Promise((resolve) => setTimeout(resolve, 10));
      return `expired-${++renewals}`;
    };
    // Some requests are still on their first attempt when the new token of others was refused.
    let firsts = 0;
    const answer: Step = async ({ headers }) => {
      if (new Headers(headers).get("authorization") === "Bearer old-token") await sleep(5 * ++firsts);
      return expired();
    };
    const { client } = clientOf(
      Array.from({ length: 120 }, () => answer),
      { accountId: "a", accessToken, logLevel: "off" },
    );
    const all = Promise.allSettled(Array.from({ length: 50 }, () => client.roles.list()));
    await vi.runAllTimersAsync();
    for (const one of await all) expect(one).toMatchObject({ reason: { code: "token_expired" } });
    expect(renewals).toBe(1);
    await settle(client.roles.list());
    expect(renewals).toBe(2);
  });

  it("whose request has timed out is no longer shared: the next request renews for itself, within 300 ms", async () => {
    const { client, renewals } = hangingOnce();
    const first = client.roles.list({ totalTimeoutMs: 300 }).catch(nameOf);
    await vi.advanceTimersByTimeAsync(300);
    expect(await first).toBe("TimeoutError");
    const second = client.roles.list({ totalTimeoutMs: 300 });
    await vi.advanceTimersByTimeAsync(20);
    expect(await second).toEqual(roles);
    expect(renewals()).toBe(2);
  });

  it("whose request was aborted is no longer shared by those that waited for it, of which one renews for all", async () => {
    const { client, renewals } = hangingOnce();
    const aborting = new AbortController();
    const first = client.roles.list({ signal: aborting.signal }).catch(nameOf);
    await vi.advanceTimersByTimeAsync(10);
    const others = Array.from({ length: 5 }, () => client.roles.list());
    await vi.advanceTimersByTimeAsync(10);
    aborting.abort();
    expect(await first).toBe("AbortError");
    await vi.advanceTimersByTimeAsync(1100);
    expect(await Promise.all(others)).toEqual(Array.from({ length: 5 }, () => roles));
    expect(renewals()).toBe(2);
  });

  it("whose request was cut off with its timers is shared for five seconds, also by a copy of the client", async () => {
    const { client, renewals } = hangingOnce();
    client.roles.list().catch(nameOf);
    await vi.advanceTimersByTimeAsync(10);
    const later = client.withOptions({ timeoutMs: 20_000 }).roles.list();
    await vi.advanceTimersByTimeAsync(6100);
    expect(await later).toEqual(roles);
    expect(renewals()).toBe(2);
  });

  it("is repeated when its token is refused for another reason", async () => {
    let renewals = 0;
    const accessToken = async ({ forceRefresh }: { forceRefresh: boolean }) =>
      forceRefresh ? `renewed-${++renewals}` : "initial-token";
    let good = "renewed-1";
    const answer: Step = (init) =>
      new Headers(init.headers).get("authorization") === "Bearer initial-token"
        ? expired()
        : new Headers(init.headers).get("authorization") === `Bearer ${good}`
          ? json(200, roles)
          : problem(401, "token_invalid");
    const { client } = clientOf(
      Array.from({ length: 9 }, () => answer),
      { accountId: "a", accessToken },
    );
    expect(await client.roles.list()).toEqual(roles);
    good = "renewed-2";
    expect(await client.roles.list().catch((error: unknown) => error)).toMatchObject({ code: "token_invalid" });
    expect(await client.roles.list()).toEqual(roles);
  });
});

describe("the body of an error", () => {
  const nested = (levels: number) => `{"code":"x","meta":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  const errorOf = async (body: string) => {
    const { result } = await outcomeOf([() => new Response(body, { status: 422 })], {
      accountId: "a",
      maxRetries: 0,
    });
    return result as Error & { readonly problem?: unknown; readonly bodyText?: string };
  };

  it("is read up to 64 levels", async () => {
    const error = await errorOf(nested(64));
    expect(error).toMatchObject({ code: "x", body: JSON.parse(nested(64)), bodyText: undefined });
  });

  it.each([65, 1_000, 20_000])("stays text if it nests %d levels, so that a log can show it", async (levels) => {
    const error = await errorOf(nested(levels));
    expect(error).toMatchObject({ code: undefined, body: undefined, bodyText: nested(levels).slice(0, 2000) });
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).toContain("createCall answered 422");
    expect(JSON.stringify(error)).toContain('"status":422');
  });
});

describe("a token", () => {
  const shown = (error: unknown) => `${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}`;
  const token = "aaaa/bbbb+cccc/dddd";
  const forms: Readonly<Record<string, string>> = {
    "as it is": token,
    "in upper case": token.toUpperCase(),
    "in lower case": token.toLowerCase(),
    "in base64": btoa(token),
    "in base64 behind other text": btoa(`user:${token}`),
    "in base64 for URLs": btoa(`Bearer ${token}`).replaceAll("+", "-").replaceAll("/", "_"),
    "in a URL": encodeURIComponent(token),
  };
  const places: Readonly<Record<string, (echo: string) => readonly [Response, Partial<ClientOptions>]>> = {
    "the detail": (echo) => [problem(422, "contact_on_dnc_list", { detail: `for ${echo}` }), {}],
    "another body": (echo) => [new Response(`<p>${echo}</p>`, { status: 502 }), {}],
    "a header": (echo) => [json(422, { code: "x" }, { "x-echo": `Bearer ${echo}`, "set-cookie": `key=${echo}` }), {}],
    "the request id": (echo) => [json(422, { code: "x" }, { "x-request-id": echo }), {}],
    "a success that is cut off": (echo) => [
      new Response(`{"callId":"${echo}`, { status: 201, headers: { "content-type": "application/json" } }),
      {},
    ],
    "a success that stops": (echo) => [stalled(201, `{"callId":"${echo}","x":"`), {}],
    "a success that validate refuses": (echo) => [
      json(201, { type: "initiated", callId: echo }),
      {
        responseValidator: () => {
          throw new Error(`no ${echo}`);
        },
      },
    ],
  };
  const cells = Object.keys(places).flatMap((place) => Object.keys(forms).map((form) => [form, place] as const));
  it.each(cells)("that the server echoes %s in %s is in no part of the error", async (form, place) => {
    const echo = forms[form] ?? "";
    const [answer, options] = places[place]?.(echo) ?? [placed(), {}];
    const { result } = await outcomeOf([answer], {
      ...options,
      accountId: "a",
      accessToken: token,
      maxRetries: 0,
    } as ClientOptions);
    expect(result).toBeInstanceOf(Error);
    const { headers, partialBody, cause } = result as { headers?: Headers; partialBody?: string; cause?: unknown };
    const all = [
      shown(result),
      JSON.stringify([...(headers ?? [])]),
      partialBody,
      shown(cause),
      result.message,
      result.stack,
    ];
    expect(all.join("\n")).not.toContain(echo);
    if (place === "a header") expect(headers?.getSetCookie()).toEqual([expect.stringContaining("[redacted]")]);
  });

  it("that is the start of another one leaves no rest of it", async () => {
    const accessToken = async ({ forceRefresh }: { forceRefresh: boolean }) =>
      forceRefresh ? "long-token-with-more" : "long-token";
    const echo = problem(400, "bad_request", { detail: "long-token-with-more" });
    const { result } = await outcomeOf([problem(401, "token_expired"), echo], { accountId: "a", accessToken });
    expect(result).toMatchObject({ detail: "[redacted]" });
  });
});

describe("a response of middleware", () => {
  it("that is frozen is read", async () => {
    const frozen: Middleware = async (_request, next) =>
      Object.freeze(new Response((await next()).body, { status: 201 }));
    const { result } = await outcomeOf([placed()], { middleware: [frozen] });
    expect(result).toEqual({ type: "initiated", callId: "c" });
  });
});

describe("a server", () => {
  it("cannot keep the client busy with a page", async () => {
    const page = new Response("<title".repeat(10_900), { status: 404 });
    const { result } = await outcomeOf([page], {}, (client) => client.roles.list());
    expect(result).toMatchObject({ name: "NotFoundError", bodyText: "<title".repeat(10_900).slice(0, 2000) });
  });
});

describe("a body cut off at the deadline", () => {
  it("does not look complete to middleware if fetch ignores its signal", async () => {
    const seen: string[] = [];
    const caching: Middleware = async (_request, next) => {
      const response = await next();
      seen.push(await response.clone().text());
      return response;
    };
    const half = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"roles":[')),
    });
    const options = { middleware: [caching], timeoutMs: 100, maxRetries: 0 };
    const { result } = await outcomeOf([new Response(half)], options, (client) => client.roles.list());
    expect(result).toMatchObject({ name: "TimeoutError" });
    expect(seen).toEqual([]);
  });
});

describe("retry.onUnknownOutcome", () => {
  it.each(["retry", "check"] as const)("%s never repeats what was carried out", async (onUnknownOutcome) => {
    const broken = new Response('{"type":"init', { status: 201, headers: { "content-type": "application/json" } });
    const { result, sent } = await outcomeOf([broken, placed()], { retry: { onUnknownOutcome } });
    expect(result).toMatchObject({ name: "OutcomeUnknownError", outcome: "applied" });
    expect(sent).toHaveLength(1);
    const overruled: Middleware = async (_request, next) => {
      await next();
      return problem(503, "service_error");
    };
    const made = await outcomeOf([placed(), placed()], { retry: { onUnknownOutcome }, middleware: [overruled] });
    expect(made.sent).toHaveLength(1);
  });
});

describe("a validator", () => {
  it("may be asynchronous", async () => {
    const responseValidator = (async () => {
      throw new Error("is not what I want");
    }) as unknown as () => void;
    const { result } = await outcomeOf([json(200, roles)], { responseValidator }, (client) => client.roles.list());
    expect(result).toMatchObject({ name: "InvalidResponseError", cause: { message: "is not what I want" } });
  });
});

describe("objects of the caller that are incomplete or fail", () => {
  it("keep the result where the clock fails to clear a timer", async () => {
    const clearTimeout = () => {
      throw new Error("clock");
    };
    const clock = { now: () => 0, setTimeout: (run: () => void, ms: number) => setTimeout(run, ms), clearTimeout };
    const { result } = await outcomeOf([placed()], { clock });
    expect(result).toMatchObject({ callId: "c" });
  });

  it("keep the result where a logger rejects later", async () => {
    const rejects = async () => {
      throw new Error("logger");
    };
    const logger = { debug: rejects, info: rejects, warn: rejects, error: rejects };
    const { result } = await outcomeOf([placed()], { logger });
    expect(result).toMatchObject({ callId: "c" });
  });
});
