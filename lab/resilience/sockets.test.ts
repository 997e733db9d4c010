// The SDK over real sockets, which a scripted fetch cannot replace.
import {
  type ApiKeyOptions,
  CallTransfer,
  type CallTransferError,
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
  type Script,
  stallsAfter,
  startFaultServer,
} from "./fault-server.ts";

const call = { flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" };
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

describe("a placement", () => {
  it.each([
    ["a reset", faults.processedThenReset],
    ["half a response", endsAfter(60, answerOf(201, JSON.stringify({ type: "initiated", callId: "c" })))],
    ["an HTML page of a proxy", faults.htmlBadGateway],
  ] satisfies [string, Behaviour][])("followed by %s is sent once, and its outcome is unknown", async (_, fault) => {
    const server = await serve(fault);
    const error = await errorOf(clientOf(server.url, { maxRetries: 2 }).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect([error.attempts.length, server.requests.length]).toEqual([1, 1]);
  });

  it("with a truncated success was applied, and the error keeps the partial body", async () => {
    const server = await serve(faults.truncatedChunked);
    const error = await errorOf(clientOf(server.url).calls.create(call));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ outcome: "applied", partialBody: '{"roles": [' });
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
