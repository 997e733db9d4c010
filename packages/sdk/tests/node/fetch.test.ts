// nodeFetch beside the global fetch: what it sends, what it returns, and what it refuses.
import { createServer } from "node:http";
import { createServer as createNetServer } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nodeFetch } from "../../src/node.ts";
import { closeAll, fetchOf, listen } from "./servers.ts";

afterEach(closeAll);

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** Starts a server that answers with what it received. */
async function echo(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const seen: Seen = { method, url, type: headers["content-type"], body: await text(request) };
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.writeHead(200, "Fine", { "content-type": "application/json" }).end(JSON.stringify(seen));
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

const form = new URLSearchParams({ a: "1 2" });
const bytes = new TextEncoder().encode("ü");
const post = (body: BodyInit, more: object = {}): RequestInit => ({ method: "POST", body, ...more });

it("goes out over a connection that was idle, while a test fakes the timers", async () => {
  const [url, send] = [await echo(), fetchOf()];
  await (await send(url)).text();
  // From 100 ms on, the connection is looked at for two turns before it is used.
  await pause(120);
  vi.useFakeTimers({ toFake: ["setImmediate"] });
  try {
    expect((await send(url)).status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});

describe("a request", () => {
  it.each<[string, () => RequestInit | undefined]>([
    ["without options", () => undefined],
    ["with text", () => post("ü")],
    ["with text and its type", () => post("{}", { headers: { "content-type": "application/json" } })],
    ["with bytes", () => post(bytes)],
    ["with a form", () => post(form)],
    ["with a blob", () => post(new Blob(["x"], { type: "text/css" }))],
    ["with a stream", () => post(new Blob(["a", "b"]).stream(), { duplex: "half" })],
    ["with an empty body", () => post("")],
    ["that deletes", () => ({ method: "DELETE" })],
    ["that deletes with a body", () => post("x", { method: "DELETE" })],
    ["that deletes with a stream", () => post(new Blob(["a"]).stream(), { method: "DELETE", duplex: "half" })],
  ])("%s arrives as from fetch", async (_, init) => {
    const url = `${await echo()}/path?a=%20b#fragment`;
    const [own, global] = await Promise.all([fetchOf()(url, init()), fetch(url, init())]);
    expect(await own.json()).toEqual(await global.json());
  });

  it("as a Request arrives as from fetch", async () => {
    const url = await echo();
    const [own, global] = await Promise.all(
      [fetchOf(), fetch].map(async (send) => (await send(new Request(url, post("x")))).json()),
    );
    expect(own).toEqual(global);
  });

  it.each<[string, string, RequestInit]>([
    ["with a body and GET", "http://127.0.0.1", { body: "x" }],
    ["with the method CONNECT", "http://127.0.0.1", { method: "CONNECT" }],
    ["to another scheme", "ftp://127.0.0.1", {}],
    ["to a URL with a password", "http://a:b@127.0.0.1", {}],
    ["to no URL", "nowhere", {}],
    ["with a dispatcher of undici", "http://127.0.0.1", { dispatcher: {} } as RequestInit],
    ["with a line break in a header", "http://127.0.0.1", { headers: { a: "b\nc" } }],
  ])("%s is refused with a TypeError", async (_, url, init) => {
    await expect(fetchOf()(url, init)).rejects.toThrow(TypeError);
  });
});

describe("a response", () => {
  it("has the parts of one from fetch", async () => {
    const url = await echo();
    const parts = async (send: typeof fetch) => {
      const response = await send(url);
      const { ok, status, statusText, redirected, bodyUsed } = response;
      const cookies = response.headers.getSetCookie();
      return {
        ok,
        status,
        statusText,
        redirected,
        bodyUsed,
        url: response.url,
        cookies,
        is: response instanceof Response,
      };
    };
    expect(await parts(fetchOf())).toEqual(await parts(fetch));
  });

  it("can be cloned, and read twice so", async () => {
    const response = await fetchOf()(await echo());
    expect(await response.clone().text()).toBe(await response.text());
  });

  it.each([204, 304])("of status %i has no body, and frees its connection", async (status) => {
    const server = createServer((_, response) => response.writeHead(status).end());
    let connections = 0;
    server.on("connection", () => (connections += 1));
    const send = fetchOf();
    const url = `http://127.0.0.1:${await listen(server)}`;
    for (let n = 0; n < 3; n += 1) expect((await send(url)).body).toBeNull();
    expect(connections).toBe(1);
  });

  it("to HEAD has no body", async () => {
    const response = await fetchOf()(await echo(), { method: "HEAD" });
    expect([response.status, response.body]).toEqual([200, null]);
  });
});

it("a switch to another protocol, which nobody asked for, is an error", async () => {
  const server = createNetServer((socket) => {
    socket.once("data", () => socket.write("HTTP/1.1 101 Other\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n"));
  });
  await expect(fetchOf()(`http://127.0.0.1:${await listen(server)}`)).rejects.toMatchObject({
    cause: { message: "the connection ended without a response", syscall: "write" },
  });
});

describe("a redirect", () => {
  const redirect = async () => {
    const server = createServer((_, response) => response.writeHead(307, { location: "/elsewhere" }).end());
    return `http://127.0.0.1:${await listen(server)}`;
  };

  it("is returned with redirect: manual", async () => {
    const { status, headers } = await fetchOf()(await redirect(), { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([307, "/elsewhere"]);
  });

  it.each(["error", "follow"] as const)("is an error with redirect: %s", async (mode) => {
    await expect(fetchOf()(await redirect(), { redirect: mode })).rejects.toMatchObject({
      cause: { message: expect.stringContaining("is not followed") },
    });
  });
});

it.each([0, -1, Number.NaN, 2 ** 31])("a connect timeout of %d ms is refused", (connectTimeoutMs) => {
  expect(() => nodeFetch({ connectTimeoutMs })).toThrow(/^connectTimeoutMs must be milliseconds from 1 to 2147483647/);
});
