import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { demo, InputError } from "@call-transfer/backend";
import { afterEach, expect, it, vi } from "vitest";
import { createForward, type FallbackOptions, startForwardingServer } from "../../src/server/forward.ts";
import type { MockServerOptions } from "../../src/server/server-options.ts";

let closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.map((close) => close()));
  closers = [];
});

/** A request as a target received it. */
interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Starts a server to forward to, which keeps what it received, and answers once the whole request has arrived. */
async function startTarget(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = "", url: target = "", rawHeaders: headers } = incoming;
    received.push({ method, target, headers, body: Buffer.concat(chunks) });
    answer(response, incoming);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

async function mock(
  fallbackUrl: string,
  { forwardCredentials = false, ...options }: Partial<FallbackOptions> & MockServerOptions = {},
) {
  const server = await startForwardingServer(
    { fallbackUrl, forwardCredentials },
    { port: 0, clockMode: "frozen", ...options },
  );
  closers.push(() => server.close());
  return server;
}

const authorization = `Bearer ${demo.apiKey}`;

it("forwards only what neither an operation nor a stub nor the server itself answers", async () => {
  const target = await startTarget((response) => response.end("there"));
  const stub = { method: "GET", path: "/api/v1/contacts", public: true, response: { body: "stub" } } as const;
  const server = await mock(target.url, { stubs: [stub] });
  const paths = [
    "/api/v1/roles",
    "/api/v1/contacts",
    "/health",
    "/_control/v1/faults",
    "/",
    "/api/v1/campaigns?x=%2b'b'",
  ];
  for (const path of paths) await (await fetch(server.url + path, { headers: { authorization } })).text();
  expect(target.received.map(({ target: path }) => path)).toEqual(["/", "/api/v1/campaigns?x=%2b%27b%27"]);
});

it("passes method, body, status and cookies on, and asks for no compression, below the target's own path", async () => {
  const target = await startTarget((response, { headers }) => {
    const cookies = ["Set-Cookie", "a=1", "Set-Cookie", "b=2"];
    const type = ["Content-Type", "application/json", "Access-Control-Allow-Origin", "*"];
    const isPlain = headers["accept-encoding"] === "identity";
    response.writeHead(201, [...cookies, ...type]).end(isPlain ? '{"id":7}' : gzipSync('{"id":7}'));
  });
  const server = await mock(`${target.url}/staging/`);
  const response = await fetch(`${server.url}/login?a=b`, { method: "POST", body: "{}" });
  expect([response.status, await response.json()]).toEqual([201, { id: 7 }]);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  expect(target.received).toMatchObject([{ method: "POST", target: "/staging/login?a=b", body: Buffer.from("{}") }]);
  const [entry] = server.backend.requests.list();
  expect(entry).toMatchObject({
    status: 201,
    decidedBy: { step: "fallback", detail: `Forwarded to ${target.url}/staging.` },
  });
  expect(entry).not.toHaveProperty("closest");
  expect(server.backend.requests.get(1)).toMatchObject({ requestBody: {}, responseBody: { id: 7 } });
  const counts = server.backend.requests.coverage().flatMap(({ statuses }) => statuses);
  expect(counts.every(({ count }) => count === 0)).toBe(true);
});

it.each([
  [false, []],
  [true, ["authorization", "cookie", "x-api-key"]],
])("forwards headers with credentials only if asked to: %s", async (forwardCredentials, expected) => {
  const target = await startTarget((response) => response.end());
  const server = await mock(target.url, { forwardCredentials });
  const secrets = { authorization, cookie: "session=1", "x-api-key": "k" };
  await fetch(`${server.url}/a`, { headers: { ...secrets, "x-trace": "t", te: "trailers" } });
  const names = target.received[0]?.headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()) ?? [];
  expect(names.filter((name) => ["te", ...Object.keys(secrets)].includes(name))).toEqual(expected);
  expect(names).toEqual(expect.arrayContaining(["host", "x-trace", "via"]));
});

it("forwards no headers of the connection, nor those that are for this server", async () => {
  const target = await startTarget((response) => response.end());
  const server = await mock(target.url, { corsOrigins: ["http://localhost:5173"] });
  const own = { origin: "http://localhost:5173", "sec-fetch-site": "cross-site", "x-sandbox": "default" };
  const headers = { ...own, connection: "close, X-Hop", "x-hop": "here", te: "trailers", "x-trace": "one" };
  await new Promise((resolve) => {
    request(`${server.url}/a`, { headers }, (answer) => answer.resume().on("end", resolve)).end();
  });
  // Node names the connection of its own.
  expect(target.received[0]?.headers).toEqual([
    ...["Host", new URL(target.url).host, "x-trace", "one", "Via", expect.stringMatching(/^1\.1 call-transfer-mock-/)],
    ...["Accept-Encoding", "identity", "Connection", "close"],
  ]);
});

it("passes a redirect, no content and JSON of any depth on as they are", async () => {
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const target = await startTarget((response, { url }) => {
    if (url === "/old") response.writeHead(307, { location: "/new" }).end();
    else if (url === "/none") response.writeHead(204).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(deep);
  });
  const server = await mock(target.url);
  const [moved, none, nested] = await Promise.all(
    ["/old", "/none", "/deep"].map((path) => fetch(server.url + path, { redirect: "manual" })),
  );
  expect([moved?.status, moved?.headers.get("location")]).toEqual([307, "/new"]);
  expect([none?.status, await none?.text()]).toEqual([204, ""]);
  expect([nested?.status, await nested?.text()]).toEqual([200, deep]);
  expect(target.received).toHaveLength(3);
});

it("forwards bodies of requests in the same process, up to 1 MiB", async () => {
  const target = await startTarget((response) => response.end());
  const { backend } = await mock(target.url);
  const statuses: number[] = [];
  for (const body of ["{}", "a".repeat(2 ** 20 + 1)])
    statuses.push((await backend.fetch("http://localhost/a", { method: "POST", body })).status);
  expect([statuses, target.received.map(({ body }) => String(body))]).toEqual([[200, 404], ["{}"]]);
});

it("forwards for the sandbox that a request selects, and journals it there", async () => {
  const target = await startTarget((response) => response.writeHead(404).end());
  const server = await mock(target.url);
  const backend = server.sandboxes.create("blue");
  expect((await fetch(`${server.url}/_sandbox/blue/a/b`)).status).toBe(404);
  expect([target.received[0]?.target, backend.requests.count, server.backend.requests.count]).toEqual(["/a/b", 1, 0]);
});

it("ends a circle of servers after one round", async () => {
  const holder: { url?: string } = {};
  const between = createServer(async (request, response) => {
    const { via = "" } = request.headers;
    const answer = await fetch(`${holder.url}${request.url}`, { headers: { via } });
    response.writeHead(answer.status).end(await answer.text());
  });
  between.listen(0, "127.0.0.1");
  await once(between, "listening");
  closers.push(async () => between.close());
  const server = await mock(`http://127.0.0.1:${(between.address() as AddressInfo).port}`);
  holder.url = server.url;
  const response = await fetch(`${server.url}/a`);
  expect([response.status, await response.json()]).toMatchObject([508, { error: { code: "target_loops" } }]);
  expect(server.backend.requests.count).toBe(2);
});

it("goes through a proxy of the environment if Node is told to use it", async () => {
  const proxy = await startTarget((response) => response.end("by the proxy"));
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  vi.stubEnv("http_proxy", proxy.url);
  vi.stubEnv("no_proxy", "127.0.0.1");
  const server = await mock("http://staging.example.test");
  expect(await (await fetch(`${server.url}/other?a=1`)).text()).toBe("by the proxy");
  expect(proxy.received.map(({ target }) => target)).toEqual(["http://staging.example.test/other?a=1"]);
});

it.each(["ftp://x", "http://user:secret@x", "http://x/api/v1", "http://x?a"])(
  "refuses the target %s",
  async (fallbackUrl) => {
    await expect(mock(fallbackUrl)).rejects.toMatchObject({ field: "fallbackUrl" });
  },
);

it("refuses to forward to itself", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, "close");
  const starting = startForwardingServer({ fallbackUrl: `http://localhost:${port}` }, { port });
  await expect(starting).rejects.toThrow(InputError);
  await expect(starting).rejects.toThrow("fallbackUrl: is the mock server itself");
});

it.each<[string, Parameters<typeof startTarget>[0], string]>([
  ["that closes the connection", (response) => response.destroy(), "target_closed"],
  [
    "that breaks its answer off",
    (response) => void response.writeHead(200, { "content-length": 9 }).write("a", () => response.destroy()),
    "target_closed",
  ],
  ["with an answer over 8 MiB", (response) => response.end(Buffer.alloc(8 * 2 ** 20 + 1)), "target_too_large"],
  ["with an unknown status", (response) => response.writeHead(799).end(), "target_closed"],
])("answers 502 for a target %s, and goes on", async (_, answer, code) => {
  const target = await startTarget(answer);
  const server = await mock(target.url);
  const response = await fetch(`${server.url}/a`);
  expect([response.status, await response.json()]).toMatchObject([502, { error: { code } }]);
  expect(target.received).toHaveLength(1);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});

it("names the option when the target cannot be reached", async () => {
  const server = await mock("http://127.0.0.1:9");
  const response = await fetch(`${server.url}/a`);
  expect([response.status, await response.text()]).toMatchObject([
    502,
    expect.stringContaining("Check the address of --fallback-url"),
  ]);
});

it.each([
  ["its head", () => {}, 50, 504],
  // The head has the same time, and must arrive on a busy machine too.
  ["its body", (response: { write(text: string): unknown }) => void response.write("a"), 5000, 504],
])("ends when the target does not send %s in time", async (_, answer, timeoutMs, status) => {
  const target = await startTarget(answer);
  const { signal } = new AbortController();
  const forward = createForward({ target: new URL(target.url), credentials: false, timeoutMs, signal });
  const request = { method: "GET", url: "http://localhost/a", headers: new Headers(), body: null };
  expect((await forward(request, new URL(request.url))).response.status).toBe(status);
});

it("ends what is in flight when the server closes", async () => {
  let arrived = (): void => {};
  const isThere = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let closed: Promise<unknown> | undefined;
  const target = await startTarget((response) => {
    closed = once(response, "close");
    arrived();
  });
  const server = await startForwardingServer({ fallbackUrl: target.url }, { port: 0 });
  const asked = fetch(`${server.url}/a`).catch(() => undefined);
  await isThere;
  await server.close();
  await closed;
  await asked;
});
