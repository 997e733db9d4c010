import { operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";

const origin = "http://mock.test";
const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
const call = { flowId: demo.flows.published, fromNumber: demo.numbers.working, toNumber: demo.recipients.anyone };

/** Sends a request to create a call. */
function createCall(backend: ReturnType<typeof createBackend>, body: unknown = call) {
  return backend.fetch(`${origin}${operations.createCall.path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
}

/** Sends a request as a server does, which has read the body. */
function handleBytes(backend: ReturnType<typeof createBackend>, text: string, change: Record<string, string> = {}) {
  const url = `${origin}${operations.createCall.path}`;
  const bodyBytes = new TextEncoder().encode(text);
  return backend.handle({
    method: "POST",
    url,
    headers: new Headers({ ...headers, ...change }),
    body: null,
    bodyBytes,
  });
}

describe("replaying a request", () => {
  it("sends method, path, query, headers and body again", async () => {
    const backend = createBackend();
    backend.faults.add("createCall 503");
    await createCall(backend);
    const { id } = await backend.replay(1);
    const replayed = backend.requests.get(id, { redact: false });
    expect(replayed).toMatchObject({ id: 2, replayOf: 1, method: "POST", status: 201, requestBody: call });
    await backend.fetch(`${origin}${operations.listCalls.path}?limit=0&x-note=a`, { headers });
    expect(await backend.replay(3)).toMatchObject({ ...{ id: 4, replayOf: 3 }, query: { limit: "0", "x-note": "a" } });
    expect(backend.events.latest().events.filter(({ type }) => type === "request.completed")).toMatchObject([
      ...[{ id: "1" }, { id: "2", replayOf: 1 }, { id: "3" }, { id: "4", replayOf: 3 }],
    ]);
  });

  it.each<[string, string, Record<string, string>, object]>([
    ["refused for its credential", JSON.stringify(call), { authorization: "Bearer x" }, { code: "token_invalid" }],
    ["that is no JSON", "{", {}, { code: "invalid_json" }],
  ])("keeps a body %s", async (_, text, change, expected) => {
    const backend = createBackend();
    await handleBytes(backend, text, change);
    expect(await backend.replay(1)).toMatchObject({ id: 2, replayOf: 1, ...expected });
    expect(backend.requests.get(1, { redact: false })?.requestBody).toEqual(text === "{" ? undefined : call);
  });

  it("sends it from the same address", async () => {
    const backend = createBackend();
    const secret = backend.credentials.createApiKey({ allowedIps: ["10.0.0.1"] }).key;
    const peer = { address: "10.0.0.1" };
    const from = { authorization: `Bearer ${secret}` };
    await backend.fetch(`${origin}${operations.listRoles.path}`, { headers: from }, peer);
    expect(await backend.replay(1)).toMatchObject({ status: 200, replayOf: 1 });
  });

  it("says why it cannot", async () => {
    const backend = createBackend();
    await createCall(backend, { ...call, note: "x".repeat(20_000) });
    const refused = { method: "GET", url: new URL(origin), headers: new Headers(), status: 400, durationMs: 0 };
    for (let count = 0; count < 2; count += 1) backend.record({ ...refused, decidedBy: { step: "server" } });
    await expect(backend.replay(1)).rejects.toThrow("id: the body of request 1 is not kept");
    await handleBytes(backend, JSON.stringify("x".repeat(20_000)));
    await expect(backend.replay(4)).rejects.toThrow("id: the body of request 4 is not kept");
    await expect(backend.replay(2)).rejects.toThrow("id: request 2 did not reach the backend");
    await expect(backend.replay(3)).rejects.toThrow("id: request 3 did not reach the backend");
    await expect(backend.replay(5)).rejects.toThrow("id: there is no request 5 in the request log");
    for (let index = 0; index < 200; index += 1) await backend.fetch(`${origin}/api/v1/x`);
    await expect(backend.replay(1)).rejects.toThrow("id: the headers and body of request 1 are no longer kept");
  });

  it("is an operation of the control plane", async () => {
    const backend = createBackend({ controlPlane: true });
    await createCall(backend, { ...call, note: "x".repeat(20_000) });
    await backend.fetch(`${origin}${operations.listRoles.path}`, { headers });
    const replay = async (id: string) => {
      const response = await backend.fetch(`${origin}/_control/v1/requests/${id}/replay`, { method: "POST" });
      return { status: response.status, body: await response.json() };
    };
    expect(await replay("2")).toMatchObject({ status: 200, body: { id: 3, replayOf: 2, headers: {} } });
    expect(await replay("1")).toMatchObject({ status: 400, body: { error: { code: "invalid_input", field: "id" } } });
    expect(await replay("9")).toMatchObject({ status: 404, body: { error: { code: "not_found", field: "id" } } });
  });
});

it("a detail shows secrets only if they are asked for", async () => {
  const backend = createBackend({ controlPlane: true });
  await backend.fetch(`${origin}/api/v1/${demo.apiKey}?token=query-token`, { headers: { cookie: "session=c" } });
  const read = async (query: string) =>
    (await backend.fetch(`${origin}/_control/v1/requests/1${query}`)).json() as Promise<Record<string, unknown>>;
  for (const query of ["", "?redact=true"])
    expect(await read(query)).toMatchObject({
      path: "/api/v1/[redacted]",
      query: { token: "[redacted]" },
      headers: { cookie: "[redacted]" },
    });
  expect(await read("?redact=false")).toMatchObject({
    path: `/api/v1/${demo.apiKey}`,
    query: { token: "query-token" },
    headers: { cookie: "session=c" },
  });
});
