import { describe, expect, it } from "vitest";
import { RequestError } from "../src/errors/request-error.ts";
import { defaultTimeoutMs } from "../src/generated/constants.gen.ts";
import type { AttemptInstrumentation, ClientOptions, Instrumentation } from "../src/options/options.ts";
import { clientOf, json, networkError, problem, type Step } from "./test-server.ts";

const placement = { flowId: "flow", fromNumber: "+15550100001", toNumber: "+15550100002" };
const roles = () => json(200, { roles: [] });

/** Instrumentation that records its hooks, and adds a header. */
function recorder(wrapSend: AttemptInstrumentation["wrapSend"] = (_url, send) => send({ traceparent: "00-a-b-01" })) {
  const seen: unknown[] = [];
  const instrumentation: Instrumentation = {
    startRequest: ({ operationId, method, route, baseUrl }) => {
      seen.push(["request", operationId, method, route, baseUrl]);
      return {
        startAttempt: (number) => {
          seen.push(["attempt", number]);
          return {
            wrapSend,
            end: ({ outcome, attempt, failure }) => {
              seen.push(["attempt ended", outcome, attempt?.status, failure?.name]);
            },
          };
        },
        end: ({ outcome, attempts, error }) => {
          seen.push(["request ended", outcome, attempts.length, error && (error as Error).name]);
        },
      };
    },
  };
  return { seen, instrumentation };
}

function instrumented(
  script: Step[],
  options: Partial<ClientOptions> = {},
  wrapSend?: AttemptInstrumentation["wrapSend"],
) {
  const { seen, instrumentation } = recorder(wrapSend);
  const logged: string[] = [];
  const log = (message: string) => logged.push(message);
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: log };
  const random = () => 0;
  const clock = {
    now: () => 0,
    setTimeout: (run: () => void, ms: number) => ms < defaultTimeoutMs && run(),
    clearTimeout: () => {},
  };
  return { ...clientOf(script, { instrumentation, logger, random, clock, ...options }), seen, logged };
}

describe("instrumentation", () => {
  it("follows a request and each of its attempts, and adds headers to each", async () => {
    const { client, sent, seen } = instrumented([problem(500, "internal_error"), roles()]);
    await client.roles.list();
    expect(seen).toEqual([
      ["request", "listRoles", "GET", "/api/v1/roles", "https://api.example.com"],
      ["attempt", 1],
      ["attempt ended", "unknown", 500, undefined],
      ["attempt", 2],
      ["attempt ended", "applied", 200, undefined],
      ["request ended", "applied", 2, undefined],
    ]);
    expect(sent.map(({ headers }) => headers.get("traceparent"))).toEqual(["00-a-b-01", "00-a-b-01"]);
  });

  it("learns of a lost placement, and of the retry that was skipped", async () => {
    const { client, seen } = instrumented([networkError("ECONNRESET")]);
    await client.calls.create(placement).catch(() => {});
    expect(seen.slice(2)).toEqual([
      ["attempt ended", "unknown", undefined, "ConnectionError"],
      ["request ended", "unknown", 1, "OutcomeUnknownError"],
    ]);
  });

  it("learns that an attempt ended although fetch never does", async () => {
    const { client, seen } = instrumented([() => new Promise(() => {})], {
      clock: undefined,
      timeoutMs: 1,
      maxRetries: 0,
    });
    await client.roles.list().catch(() => {});
    expect(seen.slice(2)).toEqual([
      ["attempt ended", "unknown", undefined, "TimeoutError"],
      ["request ended", "unknown", 1, "TimeoutError"],
    ]);
  });

  it("learns that the caller's own code failed before anything was sent", async () => {
    const accessToken = () => {
      throw new Error("no token");
    };
    const { client, sent, seen } = instrumented([], { accessToken, accountId: "a" });
    await expect(client.roles.list()).rejects.toThrow("no token");
    expect(sent).toEqual([]);
    expect(seen.slice(2)).toEqual([
      ["attempt ended", "not_sent", undefined, "RequestError"],
      ["request ended", "not_sent", 0, "RequestError"],
    ]);
  });

  it("cannot replace the credential, the account or a header of the caller", async () => {
    const added = { Authorization: "Bearer other", "X-Account-Id": "other", "x-team": "other", traceparent: "t" };
    const options = { accountId: "a", headers: { "X-Team": "mine" } };
    const { client, sent } = instrumented([roles()], options, (_url, send) => send(added));
    await client.roles.list();
    const headers = sent[0]?.headers;
    expect(["authorization", "x-account-id", "x-team", "traceparent"].map((name) => headers?.get(name))).toEqual([
      "Bearer svc_live_unit-test-secret",
      "a",
      "mine",
      "t",
    ]);
  });

  it.each<[what: string, wrapSend: AttemptInstrumentation["wrapSend"]]>([
    ["sends twice", (_url, send) => [send(), send()]],
    ["never sends", () => undefined],
    ["rejects", () => Promise.reject(new Error("hook"))],
    ["throws after it sent", (_url, send) => [send(), thrown()]],
    [
      "replaces what it gets",
      (_url, send) => send().then((got: unknown) => Object.assign(Object(got), { text: "{}" })),
    ],
  ])("sends a placement once even if it %s", async (_, wrapSend) => {
    const { client, sent } = instrumented([json(201, { type: "initiated", callId: "c" })], {}, wrapSend);
    expect(await client.calls.create(placement)).toMatchObject({ callId: "c" });
    expect(sent.length).toBe(1);
  });

  it.each(["startRequest", "startAttempt", "end"])("that throws in %s is logged and changes nothing", async (hook) => {
    const fail = (name: string) => name === hook && thrown();
    const attempt = { wrapSend: (_url: string, send: () => Promise<void>) => send(), end: () => void fail("end") };
    const startAttempt = () => {
      fail("startAttempt");
      return attempt;
    };
    const startRequest = () => {
      fail("startRequest");
      return { startAttempt, end: () => void fail("end") };
    };
    const { client, logged } = instrumented([roles()], { instrumentation: { startRequest } });
    expect(await client.roles.list()).toEqual({ roles: [] });
    expect(new Set(logged)).toEqual(new Set(["call-transfer: instrumentation threw Error"]));
  });

  it("whose async hook rejects does not end the process, and is logged", async () => {
    const rejected = async () => thrown();
    const attempt = { wrapSend: (_url: string, send: () => Promise<void>) => send(), end: rejected };
    const startRequest = () => ({ startAttempt: () => attempt, end: rejected });
    const { client, logged } = instrumented([roles()], { instrumentation: { startRequest } });
    await client.roles.list();
    await Promise.resolve();
    expect(logged).toEqual(Array(2).fill("call-transfer: instrumentation threw Error"));
  });

  it("cannot change the facts of an error", async () => {
    const wrapSend: AttemptInstrumentation["wrapSend"] = (_url, send) => send();
    const spoil = (facts: { attempt?: object | undefined; attempts?: readonly object[] }) => {
      Object.assign(facts.attempt ?? {}, { startedAt: Number.NaN });
      (facts.attempts as object[] | undefined)?.splice(0);
    };
    const startRequest = () => ({ startAttempt: () => ({ wrapSend, end: spoil }), end: spoil });
    const { client } = instrumented([networkError("ECONNRESET")], { instrumentation: { startRequest } });
    const error = await client.calls.create(placement).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ name: "OutcomeUnknownError", attempts: [{ startedAt: 0 }] });
  });

  it("fails a request exactly as without it where fetch throws at once", async () => {
    const fetch = () => {
      throw new TypeError("no network");
    };
    const { client } = instrumented([], { fetch, maxRetries: 0 });
    const error = await client.roles.list().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ attempts: [{}] });
  });
});

function thrown(): never {
  throw new Error("hook");
}
