// Which failures prove that nothing was sent, over real sockets.
import http from "node:http";
import https from "node:https";
import { createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../../build/free-port.ts";
import { CallTransfer } from "../../src/client.ts";
import { certify, clientOf, closeAll, fetchOf, listen, placement, placementError } from "./servers.ts";

afterEach(closeAll);

const own = certify("localhost");
const other = certify("other.example");

describe("a placement was not sent", () => {
  it("if the port is closed", async () => {
    // Nothing may listen on it.
    const port = await freePort();
    expect(await placementError(`http://127.0.0.1:${port}`)).toMatchObject({
      outcome: "not_sent",
      cause: { cause: { code: "ECONNREFUSED" } },
    });
  });

  it("if every address of the host refuses", async () => {
    // Nothing may listen on it.
    const port = await freePort();
    expect(await placementError(`http://localhost:${port}`)).toMatchObject({ outcome: "not_sent" });
  });

  it.each(["255.255.255.255", "[ff02::1]"])("if the literal address %s has no route", async (host) => {
    const client = new CallTransfer({
      ...{ baseUrl: `http://${host}:9`, allowInsecureHttp: true, apiKey: "svc_live_node-test-secret" },
      ...{ fetch: fetchOf({ connectTimeoutMs: 1000 }), retry: { max: 0 } },
    });
    expect((await client.calls.create(placement).result()).error).toMatchObject({ outcome: "not_sent" });
  });

  it("if the host has no address", async () => {
    const error = await placementError("https://nowhere.invalid");
    expect(error).toMatchObject({ outcome: "not_sent", message: expect.stringContaining("getaddrinfo") });
  });

  it("if a server without TLS answers the handshake", async () => {
    let received = "";
    const server = createServer((socket) => {
      socket.on("data", (bytes) => {
        received += bytes.toString("latin1");
        socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      });
    });
    const port = await listen(server);
    expect(await placementError(`https://127.0.0.1:${port}`)).toMatchObject({ outcome: "not_sent" });
    expect(received).not.toContain("HTTP");
  });

  it.each(["end", "resetAndDestroy"] as const)("if the server ends the handshake with %s()", async (way) => {
    const server = createServer((socket) => socket.once("data", () => socket[way]()));
    const port = await listen(server);
    expect(await placementError(`https://127.0.0.1:${port}`)).toMatchObject({ outcome: "not_sent" });
  });

  it.each([
    ["no authority known here", own, {}, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["another host", other, { ca: other.cert }, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("if the certificate is of %s, and not a byte arrives", async (_, certificate, tls, code) => {
    let requests = 0;
    let bytes = 0;
    const server = https.createServer(certificate, () => {
      requests += 1;
    });
    server.on("secureConnection", (socket) => socket.on("data", (chunk) => (bytes += chunk.length)));
    const port = await listen(server);
    const error = await placementError(`https://localhost:${port}`, fetchOf({ tls }));
    expect(error).toMatchObject({ outcome: "not_sent", cause: { cause: { code } } });
    expect([requests, bytes]).toEqual([0, 0]);
  });

  it("if the client's own certificate is none", async () => {
    const port = await listen(https.createServer(own));
    const error = await placementError(`https://localhost:${port}`, fetchOf({ tls: { cert: "none", key: "none" } }));
    expect(error).toMatchObject({ outcome: "not_sent" });
  });

  it("if there is no connection in time", async () => {
    // The server accepts, but never answers the handshake.
    const port = await listen(createServer());
    expect(await placementError(`https://127.0.0.1:${port}`, fetchOf({ connectTimeoutMs: 50 }))).toMatchObject({
      outcome: "not_sent",
      message: expect.stringContaining("no connection within 50 ms"),
    });
  });

  it("if its kept-alive connection ended unseen while the process was busy", async () => {
    const ended = new Int32Array(new SharedArrayBuffer(4));
    // In a thread of its own, it ends the connection while this one is blocked.
    const program = `
      const { workerData, parentPort } = require("node:worker_threads");
      let requests = 0;
      const server = require("node:net").createServer((socket) => {
        socket.on("error", () => {});
        socket.on("data", () => {
          requests += 1;
          socket.write("HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: 12\\r\\n\\r\\n{\\"roles\\":[]}");
        });
        parentPort.once("message", () => socket.destroy());
        socket.on("close", () => {
          Atomics.store(workerData, 0, 1);
          Atomics.notify(workerData, 0);
        });
      });
      server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
      parentPort.on("message", () => setTimeout(() => parentPort.postMessage(requests), 50));`;
    const worker = new Worker(program, { eval: true, workerData: ended });
    const next = () => new Promise<number>((resolve) => worker.once("message", resolve));
    try {
      const client = clientOf(`http://127.0.0.1:${await next()}`);
      await client.roles.list();
      const answer = next();
      worker.postMessage("end");
      Atomics.wait(ended, 0, 0);
      // Longer than a connection counts as used just now.
      Atomics.wait(ended, 0, 1, 200);
      const { error } = await client.calls.create(placement).result();
      expect(error).toMatchObject({ outcome: "not_sent" });
      expect(await answer).toBe(1);
    } finally {
      await worker.terminate();
    }
  });
});

it("a response that nobody asked for is not that of a placement, which is not sent", async () => {
  const received: string[] = [];
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.on("data", (bytes) => {
      received.push(bytes.toString("latin1").slice(0, 4));
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"roles":[]}');
    });
  });
  const client = clientOf(`http://127.0.0.1:${await listen(server)}`);
  await client.roles.list();
  // Longer than a connection counts as used just now.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  connections[0]?.write("HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\n\r\n");
  const { error } = await client.calls.create(placement).result();
  expect(error).toMatchObject({ outcome: "not_sent" });
  // Comes over a new connection. What was sent over the first one came before.
  await client.roles.list();
  expect([received, connections.length]).toEqual([["GET ", "GET "], 2]);
});

describe("the outcome of a placement is unknown", () => {
  it.each([
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
    ["closed", (socket: Socket) => socket.end()],
    ["answered without HTTP", (socket: Socket) => socket.end("SSH-2.0-OpenSSH\r\n\r\n")],
  ])("if the connection is %s after the request", async (_, act) => {
    const server = createServer((socket) => socket.once("data", () => act(socket)));
    const port = await listen(server);
    expect(await placementError(`http://127.0.0.1:${port}`)).toMatchObject({ outcome: "unknown" });
  });

  it("if the server refuses the client's certificate, which TLS 1.3 does after the request", async () => {
    const server = https.createServer({ ...own, requestCert: true, ca: own.cert, minVersion: "TLSv1.3" });
    const port = await listen(server);
    const error = await placementError(`https://localhost:${port}`, fetchOf({ tls: { ca: own.cert } }));
    expect(error).toMatchObject({ outcome: "unknown" });
  });

  it("if a reused connection ends after the request, which is sent once", async () => {
    let [placements, connections] = [0, 0];
    const server = http.createServer((request, response) => {
      if (request.method === "GET") return response.end('{"roles":[]}');
      placements += 1;
      return request.socket.destroy();
    });
    server.on("connection", () => (connections += 1));
    const client = clientOf(`http://127.0.0.1:${await listen(server)}`);
    await client.roles.list();
    await nextTurn();
    const { error } = await client.calls.create(placement).result();
    expect(error).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown" });
    expect([placements, connections]).toEqual([1, 1]);
  });
});
