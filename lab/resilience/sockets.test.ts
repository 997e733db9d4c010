// The SDK over real sockets, which a scripted fetch cannot replace.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ApiKeyOptions,
  CallTransfer,
  type CallTransferError,
  type ClientOptions,
  ConnectionError,
  InvalidResponseError,
  OutcomeUnknownError,
  RequestError,
  TimeoutError,
} from "@call-transfer/sdk";
import { createRawClient } from "@call-transfer/sdk/raw";
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

/** For responses that never arrive completely. */
const shortTimeout = { timeoutMs: 200 };

/** A script with the given behaviour, and a promise that resolves when the first request arrives. */
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

/** A clock whose timers fire when a request has arrived. */
const deadlineAt = (arrived: Promise<void>): ClientOptions["clock"] => ({
  now: Date.now,
  setTimeout: (callback) => void arrived.then(callback),
  clearTimeout() {},
});

async function errorOf(request: {
  result(): Promise<{ error: CallTransferError | undefined }>;
}): Promise<RequestError> {
  const { error } = await request.result();
  if (error instanceof RequestError) return error;
  throw new Error(`Expected a RequestError, not ${error}`);
}

const clientOf = (baseUrl: string, options: Partial<ApiKeyOptions> = {}) =>
  new CallTransfer({ baseUrl, apiKey: "svc_live_socket-test-secret", maxRetries: 0, ...options });

/** The error of a GET request to a server with the given behaviour. */
const listError = async (behaviour: Behaviour | Script, options?: Partial<ApiKeyOptions>) =>
  errorOf(clientOf((await serve(behaviour)).url, options).roles.list());

describe("a raw request with a stream as its body", () => {
  it("is sent by Node, which requires duplex: half for streams", async () => {
    let received = "";
    const server = createServer(async (incoming, outgoing) => {
      for await (const chunk of incoming) received += chunk;
      outgoing.writeHead(201, { "content-type": "application/json" }).end('{"type":"initiated","callId":"c"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { data } = await createRawClient(clientOf(`http://127.0.0.1:${port}`, { timeoutMs: 60_000 })).POST(
      "/api/v1/calls",
      {
        body: new Blob([JSON.stringify(call)]).stream() as never,
        bodySerializer: (given) => given as never,
        headers: { "content-type": "application/json" },
      },
    );
    expect([data, JSON.parse(received)]).toEqual([{ type: "initiated", callId: "c" }, call]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("a call placement", () => {
  const isPlacedOnce = async (behaviour: Behaviour | Script, clock?: ClientOptions["clock"]) => {
    const server = await serve(behaviour);
    const error = await errorOf(clientOf(server.url, { maxRetries: 2, ...(clock && { clock }) }).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.attempts).toHaveLength(1);
    expect(server.executionsOf(placement)).toBe(1);
  };

  it.each([
    ["a reset", faults.processedThenReset],
    ["a closed connection", faults.processedThenClosed],
    ["half a response", endsAfter(60, answerOf(201, JSON.stringify({ type: "initiated", callId: "c" })))],
    ["an HTML page of a proxy", { ...faults.htmlBadGateway, executes: true }],
  ] satisfies [string, Behaviour][])("followed by %s is executed once, and its outcome is unknown", (_, fault) =>
    isPlacedOnce(fault),
  );

  it("without a response is executed once, and its outcome is unknown", async () => {
    const { script, arrived } = watched(faults.processedThenBlackHole);
    await isPlacedOnce(script, deadlineAt(arrived));
  });

  it("on a reused connection that closes is executed once: Node does not retry it", async () => {
    const server = await serve(({ method }) =>
      method === "GET" ? answers(200, { roles: [] }) : faults.processedThenClosed,
    );
    const client = clientOf(server.url, { maxRetries: 2 });
    await client.roles.list();
    // Node makes the connection available again a moment after the response was read.
    await delay(20);
    expect(await errorOf(client.calls.create(call))).toBeInstanceOf(OutcomeUnknownError);
    expect(server.requests.at(-1)?.before).toBe(1);
    expect(server.executionsOf(placement)).toBe(1);
  });

  it("with a truncated success was applied, and the error keeps the partial body", async () => {
    const server = await serve(faults.truncatedChunked);
    const error = await errorOf(clientOf(server.url).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ outcome: "applied", partialBody: '{"roles": [' });
  });
});

describe("a failure below HTTP", () => {
  it.each([
    ["a closed port", refusedUrl, /^ECONNREFUSED$/],
    // The name is reserved and never exists. Without a resolver the code is EAI_AGAIN.
    ["an unknown host", () => "https://api.invalid", /^ENOTFOUND$|^EAI_AGAIN$/],
  ] satisfies [string, () => string | Promise<string>, RegExp][])(
    "of %s has the outcome not_sent",
    async (_, url, code) => {
      const error = await errorOf(clientOf(await url()).roles.list());
      expect(error).toMatchObject({ outcome: "not_sent", cause: { cause: { code: expect.stringMatching(code) } } });
    },
  );

  it("of TLS on a plain port is not_sent", async () => {
    const server = await serve({ ...answers(400, "plain text only"), at: "first-bytes", afterwards: "end" });
    const error = await errorOf(clientOf(server.url.replace("http:", "https:")).roles.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.outcome).toBe("not_sent");
    expect(server.requests).toHaveLength(0);
  });

  it("of a reset at the connection is not_sent if Node reports the connect call, otherwise unknown", async () => {
    const error = await listError(faults.resetAtConnection);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.outcome).toBe(/connect ECONNRESET/.test(error.message) ? "not_sent" : "unknown");
  });

  it.each([
    ["a reset during the request", faults.resetMidRequest, /^ECONNRESET$|^UND_ERR_SOCKET$/],
    ["a reset before the response", faults.resetBeforeAnswer, /^ECONNRESET$|^UND_ERR_SOCKET$/],
    ["a closed connection before the response", faults.processedThenClosed, /^ECONNRESET$|^UND_ERR_SOCKET$/],
  ] satisfies [string, Behaviour, RegExp][])("of %s is unknown", async (_, fault, code) => {
    const error = await listError(fault);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "unknown", cause: { cause: { code: expect.stringMatching(code) } } });
  });
});

describe("a Retry-After", () => {
  const retrying = { maxRetries: 1, retry: { maxRetryAfterMs: 1000 } };

  it.each([
    ["spaces and a tab around it", "  2 \t", 2],
    ["a date followed by a space", "Fri, 31 Dec 2049 23:59:59 GMT ", 2],
    ["more digits than a number holds", "9".repeat(400), Number.MAX_VALUE],
  ])("with %s is never shortened", async (_, value, seconds) => {
    const headers = { date: "Fri, 31 Dec 2049 23:59:57 GMT", "retry-after": value };
    const server = await serve(answers(429, { code: "rate_limit_exceeded" }, headers));
    expect(await errorOf(clientOf(server.url, retrying).roles.list())).toMatchObject({
      retryAfterSecs: seconds,
      retrySkippedReason: "retry_after_too_long",
    });
    expect(server.requests).toHaveLength(1);
  });

  it("that appears twice counts with its longer wait", async () => {
    const twice = answers(429, { code: "rate_limit_exceeded" }, { "retry-after": "2", "Retry-After": "5" });
    expect(await listError(twice, retrying)).toMatchObject({ retryAfterSecs: 5 });
  });
});

describe("a stalled body", () => {
  it("ends with the timeout after every byte", async () => {
    const server = await serve(({ headers }) => stallsAfter(Number(headers["x-request-key"]), roles));
    const client = clientOf(server.url, shortTimeout);
    const errors = Array.from({ length: roles.length }, (_, cut) =>
      errorOf(client.roles.list({ headers: { "x-request-key": String(cut) } })),
    );
    for (const error of await Promise.all(errors)) expect(error).toBeInstanceOf(TimeoutError);
  });

  it.each([
    ["that arrives byte by byte", { answer: roles, trickleMs: 20 }, {}],
    ["of an error", stallsAfter(120, answerOf(500, "x".repeat(500))), { outcome: "unknown" }],
  ] satisfies [string, Behaviour, object][])("%s ends with the timeout", async (_, behaviour, expected) => {
    const error = await listError(behaviour, shortTimeout);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject(expected);
  });
});

describe("a response that ends early", () => {
  it.each([
    ["before its first byte", endsAfter(0, roles)],
    ["in its headers", endsAfter(25, roles)],
    ["in its body", endsAfter(roles.length - 3, roles)],
    ["in a chunk", faults.truncatedChunked],
  ] satisfies [string, Behaviour][])("%s is a connection error", async (_, fault) => {
    expect(await listError(fault)).toBeInstanceOf(ConnectionError);
  });

  it("is retried if the operation is idempotent", async () => {
    let sent = 0;
    const server = await serve(() => (sent++ === 0 ? endsAfter(roles.length - 3, roles) : answers(200, { roles: [] })));
    await expect(clientOf(server.url, { maxRetries: 1, random: () => 0 }).roles.list()).resolves.toEqual({
      roles: [],
    });
    expect(server.requests).toHaveLength(2);
  });

  it("but has the promised length is an invalid response", async () => {
    const error = await listError(faults.brokenJson);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error.outcome).toBe("applied");
  });
});

describe("a redirect to another origin", () => {
  it.each(["apiKey", "accessToken"] as const)("is not followed, so that the origin never gets the %s", async (name) => {
    const thief = await serve(answers(200, { roles: [] }));
    const server = await serve(redirectsTo(`${thief.url}/anywhere`));
    const options = {
      baseUrl: server.url,
      maxRetries: 0,
      accountId: "account",
      [name]: "token.of-the-customer",
    };
    const client = new CallTransfer(options);
    for (const send of [() => client.roles.list(), () => client.calls.create(call)])
      expect(await errorOf(send())).toMatchObject({ status: 307, outcome: "rejected" });
    expect(server.requests).toHaveLength(2);
    expect(thief.connections).toBe(0);
  });
});

describe("a compressed body", () => {
  const mebibyte = 1024 * 1024;

  it("is refused above 10 MiB decoded", async () => {
    const server = await serve(gzipBomb(64 * mebibyte));
    const error = await errorOf(clientOf(server.url).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain("larger than");
    expect((error as OutcomeUnknownError).partialBody?.length).toBeLessThanOrEqual(10 * mebibyte);
  });

  it("of 9 MiB is read", async () => {
    const server = await serve(answers(200, JSON.stringify({ roles: [] }).padEnd(9 * mebibyte)));
    await expect(clientOf(server.url).roles.list()).resolves.toEqual({ roles: [] });
  });
});

describe("error responses", () => {
  it("with small bodies use at most two connections for a hundred requests", async () => {
    const server = await serve(answers(500, { code: "internal_error" }));
    const client = clientOf(server.url);
    for (let n = 0; n < 100; n++) await errorOf(client.roles.list());
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it("with large bodies are not read completely", async () => {
    const stalled = stallsAfter(1024 * 1024, answerOf(500, "x".repeat(8 * 1024 * 1024)));
    expect(await listError(stalled)).toMatchObject({ status: 500, code: undefined });
  });
});

describe("an abort", () => {
  it("ends a backoff of a minute", async () => {
    const server = await serve(answers(429, { code: "rate_limit_exceeded", meta: { retryAfterSecs: 60 } }));
    const controller = new AbortController();
    const client = clientOf(server.url, {
      maxRetries: 1,
      onRetry: () => setTimeout(() => controller.abort(), 20),
    });
    const error = await errorOf(client.roles.list({ signal: controller.signal }));
    expect(error).toMatchObject({ name: "AbortError", outcome: "rejected" });
    expect(server.requests).toHaveLength(1);
  });

  it("ends a request without a response", async () => {
    const { script, arrived } = watched(faults.blackHole);
    const server = await serve(script);
    const controller = new AbortController();
    void arrived.then(() => controller.abort());
    const error = await errorOf(clientOf(server.url).calls.create(call, { signal: controller.signal }));
    expect(error).toMatchObject({ name: "OutcomeUnknownError", cause: { name: "AbortError" } });
  });
});
