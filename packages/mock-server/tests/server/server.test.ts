import { once } from "node:events";
import { createServer, Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { json, text } from "node:stream/consumers";
import { demo, InputError, inboxUrl } from "@call-transfer/backend";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createMemoryStorage } from "../../../backend/tests/store/cases.ts";
import { type MockServer, socketLimits, startMockServer, startServer } from "../../src/server/server.ts";
import type { MockServerOptions } from "../../src/server/server-options.ts";

let servers: MockServer[] = [];

async function start(options: MockServerOptions = {}): Promise<MockServer> {
  const server = await startMockServer({ port: 0, ...options });
  servers.push(server);
  return server;
}

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

const authorization = `Bearer ${demo.apiKey}`;

/** Sends bytes and returns everything received until the server closes the connection. */
async function raw({ port }: MockServer, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8");
  socket.on("data", (part) => {
    answer += part;
  });
  socket.on("error", () => {});
  socket.write(text);
  await once(socket, "close");
  return answer;
}

function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
}

describe("the mock server", () => {
  it.each(["{}", "{", "x".repeat(2 ** 10)])("ignores a body of a GET, such as %j (A-57)", async (body) => {
    const head = `GET /api/v1/roles HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}`;
    const answer = await raw(
      await start(),
      `${head}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 200 OK");
  });

  it("starts at the real time on a running clock", async () => {
    const before = Date.now();
    const { backend } = await start();
    expect(backend.clock.mode).toBe("running");
    expect(backend.clock.now()).toBeGreaterThanOrEqual(before);
  });

  it("sends the open offers of stored sandboxes again, and closes their stores if it cannot listen", async () => {
    const got = new Set<string>();
    const app = createServer(async (request) => {
      got.add(((await json(request)) as { id: string }).id);
      app.emit("offer");
    }).listen(0, "127.0.0.1");
    await once(app, "listening");
    const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    const stores = createMemoryStorage();
    const first = await start({ stores });
    first.backend.collections.update("destinations", demo.destinations.app, { config: { url } });
    first.backend.transfers.start({ destinationId: demo.destinations.app });
    await once(app, "offer");
    await first.close();

    const close = vi.spyOn(stores, "close");
    const { port } = await start();
    await expect(startMockServer({ port, stores })).rejects.toThrow("is in use");
    expect(close).toHaveBeenCalledOnce();
    const second = await start({ stores });
    await once(app, "offer");
    expect([...got]).toEqual([second.backend.transfers.list()[0]?.rings[0]?.deliveryId]);
    app.closeAllConnections();
    app.close();
  });

  it("rejects a body over 1 MiB that is never sent completely, and closes the connection", async () => {
    const own = `Authorization: Bearer ${demo.apiKey}\r\nContent-Type: application/json\r\n`;
    const head = `POST /api/v1/calls HTTP/1.1\r\nHost: localhost\r\n${own}Content-Length: ${2 ** 21}\r\n\r\n`;
    const answer = await raw(await start(), head + "x".repeat(2 ** 20));
    expect([answer.slice(0, 12), /^connection: close\r$/im.test(answer)]).toEqual(["HTTP/1.1 400", true]);
    expect(bodyOf(answer)).toMatchObject({ code: "bad_request" });
  });

  it("names the port that is in use", async () => {
    const { port } = await start();
    await expect(startMockServer({ port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`);
  });

  it.each(["::1", "[::1]"])("listens on %s and writes its URL with brackets", async (host) => {
    const server = await startMockServer({ port: 0, host });
    const response = await fetch(`${server.url}/_control/v1/health`);
    await server.close();
    expect([server.url, server.controlToken, response.status]).toEqual([`http://[::1]:${server.port}`, undefined, 200]);
  });

  it.each<[object, string]>([
    [{ port: 70_000 }, "port: "],
    [{ port: "4010" }, "port: "],
    [{ host: "" }, "host: "],
    [{ host: 5 }, "host: "],
    [{ allowedHosts: "mock" }, "allowedHosts: "],
    [{ corsOrigins: "http://localhost:5173" }, "corsOrigins: "],
    [{ corsOrigins: ["http://localhost:5173/"] }, "corsOrigins[0]: "],
    [{ maxSandboxes: 0 }, "maxSandboxes: "],
    [{ forwardWebhooksTo: "ftp://127.0.0.1" }, "forwardWebhooksTo: "],
    [
      { forwardWebhooksTo: "http://me:hidden@127.0.0.1" },
      "forwardWebhooksTo: must be an http or https URL without user name",
    ],
  ])("rejects %j", async (options, message) => {
    const outcome = startMockServer({ port: 0, ...options }).then((server) => server.close());
    await expect(outcome).rejects.toThrow(InputError);
    await expect(outcome).rejects.toThrow(message);
  });

  it.each<[MockServerOptions, string]>([
    [{}, "http://127.0.0.1:PORT"],
    [{}, "http://localhost:PORT"],
    [{}, "http://2130706433:PORT"],
    [{}, "http://[::ffff:127.0.0.1]:PORT"],
    [{}, "http://localhost:PORT/_sandbox/default"],
    [{ host: "::1" }, "http://[::1]:PORT"],
    [{ host: "0.0.0.0" }, "http://127.0.0.2:PORT"],
    [{ host: "::" }, "http://127.0.0.1:PORT"],
  ])("with %j delivers no webhook to itself at %s, and says why", async (options, base) => {
    const { backend, port } = await start(options);
    const url = `${base.replace("PORT", String(port))}/_control/v1/reset`;
    backend.collections.update("destinations", demo.destinations.app, { config: { url } });
    const delivery = await backend.deliveries.trigger({ destinationId: demo.destinations.app });
    expect(delivery).toMatchObject({ accepted: false, error: expect.stringContaining("the mock server itself") });
    expect(backend.deliveries.list()).toEqual([delivery]);
  });

  it("forwards no webhook to itself, but delivers to the built-in inbox", async () => {
    const { port } = await startMockServer({ port: 0 }).then(async (server) => {
      await server.close();
      return server;
    });
    const { backend } = await start({ port, forwardWebhooksTo: `http://localhost:${port}/_control/v1/reset` });
    const trigger = () => backend.deliveries.trigger({ destinationId: demo.destinations.app });
    expect(await trigger()).toMatchObject({ error: expect.stringContaining("the mock server itself") });
    backend.collections.update("destinations", demo.destinations.app, { config: { url: inboxUrl } });
    expect(await trigger()).toMatchObject({ accepted: true, status: 204 });
    expect(backend.inbox.list()).toHaveLength(1);
  });

  it("tells a client that stops reading the event stream what it lost", async () => {
    const { port, backend } = await start();
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    socket.write("GET /_control/v1/events/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    await once(socket, "readable");
    const policies = { ...backend.policies };
    for (let count = 0; count < 20_000; count += 1) {
      backend.updatePolicies(policies);
      if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    let read = "";
    for await (const part of socket) {
      read += part;
      if (read.includes(backend.events.lastId)) break;
    }
    expect(read).toContain('"type":"stream.gap"');
    expect(read.split('"type":"policies.changed"').length).toBeLessThan(20_000);
  });

  it("closes a keep-alive connection after the last response when the server closes", async () => {
    const server = await startMockServer({ port: 0 });
    const socket = connect(server.port, "127.0.0.1").setEncoding("utf8");
    const head = "POST /api/v1/calls HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n";
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`);
    expect(String(await once(socket, "data"))).toContain("100 Continue");
    const closed = server.close();
    socket.write("{}");
    expect(String(await once(socket, "data"))).toMatch(/^HTTP\/1.1 401 (?:.|\r\n)*\r\nconnection: close\r\n/i);
    await Promise.all([closed, once(socket, "close")]);
  });

  it("ends event streams when the server closes", async () => {
    // Done 2 seconds later, which a busy machine may reach.
    vi.spyOn(Server.prototype, "closeAllConnections").mockImplementation(() => {});
    const server = await startMockServer({ port: 0 });
    const socket = connect(server.port, "127.0.0.1").setEncoding("utf8");
    socket.write("GET /_control/v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "readable");
    const [, read] = await Promise.all([server.close(), text(socket)]);
    expect([read.includes(": connected\n"), read.endsWith("\r\n0\r\n\r\n")]).toEqual([true, true]);
  });

  it("closes idle connections when the server closes", async () => {
    const server = await startMockServer({ port: 0 });
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write("GET /_control/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(socket, "data");
    const closed = once(socket, "close");
    await server.close();
    await closed;
  });
});

it("keeps a connection for a client that pauses for a minute, so that its next request does not fail", async () => {
  const { url } = await start();
  const { headers } = await fetch(`${url}/_control/v1/health`);
  expect(headers.get("keep-alive")).toBe("timeout=65");
});

describe("a malformed or hostile request", () => {
  it("that is sent too slowly gets 408 and its connection is closed", async () => {
    const quick = { ...socketLimits, headersTimeout: 40, requestTimeout: 40, connectionsCheckingInterval: 20 };
    const server = await startServer({ port: 0 }, quick);
    servers.push(server);
    const slow = [
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
      "POST /api/v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{",
      "PUT /_control/v1/snapshot HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n{",
    ];
    const answers = await Promise.all(slow.map((text) => raw(server, text)));
    expect(answers.map((answer) => answer.split("\r\n")[0])).toEqual(Array(3).fill("HTTP/1.1 408 Request Timeout"));
  });

  it("has 5 s for its headers and 10 s in total", () => {
    const { headersTimeout, requestTimeout, connectionsCheckingInterval } = socketLimits;
    expect(headersTimeout).toBeLessThanOrEqual(5000);
    expect(requestTimeout + connectionsCheckingInterval).toBeLessThanOrEqual(10_000);
  });
});
