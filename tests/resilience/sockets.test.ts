// The SDK over real sockets, with Node's own fetch: what a scripted fetch cannot prove.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  CallTransfer,
  type CallTransferError,
  type ClientOptions,
  ConnectionError,
  InvalidResponseError,
  OutcomeUnknownError,
  RequestError,
  TimeoutError,
} from "@call-transfer/sdk";
import { afterEach, describe, expect, it } from "vitest";
import {
  answerOf,
  answers,
  type Behaviour,
  endsAfter,
  type FaultServer,
  faults,
  gzipBomb,
  redirectsTo,
  refusedUrl,
  type Script,
  stallsAfter,
  startFaultServer,
} from "./fault-server.ts";

const apiKey = "svc_live_socket-test-secret";
const call = { flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" };
const placement = "POST /api/v1/calls";
const roles = answerOf(200, JSON.stringify({ roles: [] }));

const servers: FaultServer[] = [];
async function serve(behaviour: Behaviour | Script) {
  const server = await startFaultServer(behaviour);
  servers.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const clientOf = (baseUrl: string, options: Partial<ClientOptions> = {}) =>
  new CallTransfer({ baseUrl, apiKey, maxRetries: 0, ...options });

/** For requests that are never answered, or not in whole: each attempt ends after a moment, however little came. */
const hasty = { timeoutMs: 200 };

/** A behaviour, and the moment at which the first request that it befalls has arrived. */
function watched(behaviour: Behaviour): { script: Script; arrived: Promise<void> } {
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = () => void setImmediate(resolve);
  });
  const script = () => {
    arrive();
    return behaviour;
  };
  return { script, arrived };
}

/** A client's clock whose deadlines come when a request has arrived. */
const deadlineAt = (arrived: Promise<void>): ClientOptions["clock"] => ({
  now: Date.now,
  setTimeout: (callback) => void arrived.then(callback),
  clearTimeout() {},
});

/** The error that a request ends with. */
async function errorOf(request: {
  result(): Promise<{ error: CallTransferError | undefined }>;
}): Promise<RequestError> {
  const { error } = await request.result();
  if (error instanceof RequestError) return error;
  throw new Error(`expected an error of a request, not ${error}`);
}

describe("a raw request with a body that is a stream", () => {
  it("is sent by Node, which takes streams only when the answer may come after them", async () => {
    let received = "";
    const server = createServer(async (incoming, outgoing) => {
      for await (const chunk of incoming) received += chunk;
      outgoing.writeHead(201, { "content-type": "application/json" }).end('{"type":"initiated","callId":"c"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { data } = await clientOf(`http://127.0.0.1:${port}`, { timeoutMs: 60_000 }).raw.POST("/api/v1/calls", {
      body: new Blob([JSON.stringify(call)]).stream() as never,
      bodySerializer: (given) => given as never,
      headers: { "content-type": "application/json" },
    });
    expect([data, JSON.parse(received)]).toEqual([{ type: "initiated", callId: "c" }, call]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("a call placement", () => {
  it.each([
    ["reset after it was carried out", faults.processedThenReset],
    ["closed after it was carried out", faults.processedThenClosed],
    ["answered with half an answer", endsAfter(60, answerOf(201, JSON.stringify({ type: "initiated", callId: "c" })))],
    ["answered by a proxy's page", { ...faults.htmlBadGateway, executes: true }],
  ] satisfies [string, Behaviour][])("that is %s is carried out once and its outcome is unknown", async (_, fault) => {
    const server = await serve(fault);
    const error = await errorOf(clientOf(server.url, { maxRetries: 2 }).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.attempts).toHaveLength(1);
    expect(server.executionsOf(placement)).toBe(1);
  });

  it("that is swallowed after it was carried out is carried out once and its outcome is unknown", async () => {
    const { script, arrived } = watched(faults.processedThenBlackHole);
    const server = await serve(script);
    const error = await errorOf(clientOf(server.url, { maxRetries: 2, clock: deadlineAt(arrived) }).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.attempts).toHaveLength(1);
    expect(server.executionsOf(placement)).toBe(1);
  });

  it("that loses a reused connection is carried out once: Node does not send it again by itself", async () => {
    const server = await serve(({ method }) =>
      method === "GET" ? answers(200, { roles: [] }) : faults.processedThenClosed,
    );
    const client = clientOf(server.url, { maxRetries: 2 });
    await client.roles.list();
    // Node takes a connection back a moment after its answer was read.
    await delay(20);
    expect(await errorOf(client.calls.create(call))).toBeInstanceOf(OutcomeUnknownError);
    expect(server.requests.at(-1)?.before).toBe(1);
    expect(server.executionsOf(placement)).toBe(1);
  });

  it("whose success breaks off was carried out, and keeps what came of the answer", async () => {
    const server = await serve(faults.truncatedChunked);
    const error = await errorOf(clientOf(server.url).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.outcome).toBe("applied");
    expect((error as OutcomeUnknownError).partialBody).toBe('{"roles": [');
  });
});

describe("a failure below HTTP", () => {
  const failing = (baseUrl: string) => errorOf(clientOf(baseUrl).roles.list());

  it("to connect to a closed port was not sent", async () => {
    const error = await failing(await refusedUrl());
    expect(error).toMatchObject({ outcome: "not_sent", cause: { cause: { code: "ECONNREFUSED" } } });
  });

  it("to resolve a host was not sent", async () => {
    // The name is reserved for never existing; a machine without a resolver answers EAI_AGAIN.
    const error = await errorOf(clientOf("https://api.invalid").roles.list());
    expect(error).toMatchObject({
      outcome: "not_sent",
      cause: { cause: { code: expect.stringMatching(/^ENOTFOUND$|^EAI_AGAIN$/) } },
    });
  });

  it("to speak TLS with a plain port is unknown: its code does not tell before from after", async () => {
    const server = await serve({ ...answers(400, "plain text only"), at: "first-bytes", afterwards: "end" });
    const error = await failing(server.url.replace("http:", "https:"));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.outcome).toBe("unknown");
    expect(server.requests).toHaveLength(0);
  });

  it("of a server that resets at the connection was not sent where Node says that it never stood, else unknown", async () => {
    const error = await failing((await serve(faults.resetAtConnection)).url);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.outcome).toBe(/connect ECONNRESET/.test(error.message) ? "not_sent" : "unknown");
  });

  it.each([
    ["resets in the middle of the request", faults.resetMidRequest, /^ECONNRESET$|^UND_ERR_SOCKET$/],
    ["resets before its answer", faults.resetBeforeAnswer, /^ECONNRESET$|^UND_ERR_SOCKET$/],
    ["closes before its answer", faults.processedThenClosed, /^UND_ERR_SOCKET$/],
  ] satisfies [string, Behaviour, RegExp][])("of a server that %s is unknown", async (_, fault, code) => {
    const error = await failing((await serve(fault)).url);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "unknown", cause: { cause: { code: expect.stringMatching(code) } } });
  });
});

describe("a Retry-After", () => {
  it.each([
    ["blanks and a tab around it", "  2 \t", 2],
    ["a date with a blank after it", "Fri, 31 Dec 2049 23:59:59 GMT ", 2],
    ["more digits than a number holds", "9".repeat(400), Number.POSITIVE_INFINITY],
  ])("with %s is never cut short", async (_, value, seconds) => {
    const server = await serve(
      answers(429, { code: "rate_limit_exceeded" }, { date: "Fri, 31 Dec 2049 23:59:57 GMT", "retry-after": value }),
    );
    const error = await errorOf(clientOf(server.url, { maxRetries: 1, maxRetryAfterSecs: 1 }).roles.list());
    expect(error).toMatchObject({
      retryAfterSecs: seconds,
      retrySkippedReason: expect.stringContaining("maxRetryAfterSecs"),
    });
    expect(server.requests).toHaveLength(1);
  });

  it("that stands there twice asks for the longer wait", async () => {
    const server = await serve(
      answers(429, { code: "rate_limit_exceeded" }, { "retry-after": "2", "Retry-After": "5" }),
    );
    const error = await errorOf(clientOf(server.url, { maxRetries: 1, maxRetryAfterSecs: 1 }).roles.list());
    expect(error).toMatchObject({ retryAfterSecs: 5 });
  });
});

describe("a stalled body", () => {
  it("ends with the timeout, after whichever byte it stalls", async () => {
    const server = await serve(({ headers }) => stallsAfter(Number(headers["x-request-key"]), roles));
    const client = clientOf(server.url, hasty);
    const errors = Array.from({ length: roles.length }, (_, cut) =>
      errorOf(client.roles.list({ headers: { "x-request-key": String(cut) } })),
    );
    for (const error of await Promise.all(errors)) expect(error).toBeInstanceOf(TimeoutError);
  });

  it("that trickles byte by byte gets no more time than one that stands still", async () => {
    const server = await serve({ answer: roles, trickleMs: 20 });
    expect(await errorOf(clientOf(server.url, hasty).roles.list())).toBeInstanceOf(TimeoutError);
  });

  it("of an error ends with the timeout too", async () => {
    const server = await serve(stallsAfter(120, answerOf(500, "x".repeat(500))));
    const error = await errorOf(clientOf(server.url, hasty).roles.list());
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.outcome).toBe("unknown");
  });
});

describe("an answer that ends early", () => {
  it.each([
    ["before any of it", endsAfter(0, roles)],
    ["in its head", endsAfter(25, roles)],
    ["in its body", endsAfter(roles.length - 3, roles)],
    ["in a chunk", faults.truncatedChunked],
  ] satisfies [string, Behaviour][])("%s is no success", async (_, fault) => {
    expect(await errorOf(clientOf((await serve(fault)).url).roles.list())).toBeInstanceOf(ConnectionError);
  });

  it("is asked for again where a repetition does no harm", async () => {
    let sent = 0;
    const server = await serve(() => (sent++ === 0 ? endsAfter(roles.length - 3, roles) : answers(200, { roles: [] })));
    await expect(clientOf(server.url, { maxRetries: 1, random: () => 0 }).roles.list()).resolves.toEqual({ roles: [] });
    expect(server.requests).toHaveLength(2);
  });

  it("as broken JSON with a whole length is an invalid answer, not a lost one", async () => {
    const error = await errorOf(clientOf((await serve(faults.brokenJson)).url).roles.list());
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.outcome).toBe("applied");
  });
});

describe("a redirect to another origin", () => {
  it.each(["apiKey", "accessToken"] as const)("is not followed, so that it never sees the %s", async (credential) => {
    const thief = await serve(answers(200, { roles: [] }));
    const server = await serve(redirectsTo(`${thief.url}/anywhere`));
    const options = { baseUrl: server.url, maxRetries: 0, accountId: "account", [credential]: "token.of-the-customer" };
    expect(await errorOf(new CallTransfer(options).roles.list())).toMatchObject({ status: 307, outcome: "rejected" });
    expect(await errorOf(new CallTransfer(options).calls.create(call))).toMatchObject({
      status: 307,
      outcome: "rejected",
    });
    expect(server.requests).toHaveLength(2);
    expect(thief.connections).toBe(0);
  });
});

describe("a body that expands", () => {
  const mebibyte = 1024 * 1024;

  it("is cut at 10 MiB decoded", async () => {
    const server = await serve(gzipBomb(64 * mebibyte));
    const error = await errorOf(clientOf(server.url).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain("larger than");
    expect((error as OutcomeUnknownError).partialBody?.length).toBeLessThanOrEqual(10 * mebibyte);
  });

  it("of 9 MiB is read", async () => {
    const padded = JSON.stringify({ roles: [] }).padEnd(9 * mebibyte);
    const server = await serve(answers(200, padded));
    await expect(clientOf(server.url).roles.list()).resolves.toEqual({ roles: [] });
  });
});

describe("the connections of a hundred errors in a row", () => {
  it("are at most two when the bodies are small: they are read to their end", async () => {
    const server = await serve(answers(500, { code: "internal_error" }));
    const client = clientOf(server.url);
    for (let n = 0; n < 100; n++) await errorOf(client.roles.list());
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it("are given up when the bodies are large: nobody waits for the rest", async () => {
    const server = await serve(stallsAfter(1024 * 1024, answerOf(500, "x".repeat(8 * 1024 * 1024))));
    const error = await errorOf(clientOf(server.url).roles.list());
    expect(error).toMatchObject({ status: 500, code: undefined });
  });
});

describe("an abort", () => {
  it("wakes a retry that sleeps for a minute", async () => {
    const server = await serve(answers(429, { code: "rate_limit_exceeded", meta: { retryAfterSecs: 60 } }));
    const controller = new AbortController();
    const client = clientOf(server.url, { maxRetries: 1, onRetry: () => setTimeout(() => controller.abort(), 20) });
    const error = await errorOf(client.roles.list({ signal: controller.signal }));
    expect(error).toMatchObject({ name: "AbortError", outcome: "rejected" });
    expect(server.requests).toHaveLength(1);
  });

  it("ends a request that nobody answers", async () => {
    const { script, arrived } = watched(faults.blackHole);
    const server = await serve(script);
    const controller = new AbortController();
    void arrived.then(() => controller.abort());
    const error = await errorOf(clientOf(server.url).calls.create(call, { signal: controller.signal }));
    expect(error).toMatchObject({ name: "OutcomeUnknownError", cause: { name: "AbortError" } });
  });
});
