// Which failures of Node's own fetch prove that nothing was sent, over real sockets.
import http from "node:http";
import https from "node:https";
import { createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../../build/free-port.ts";
import { agentOf, certify, clientOf, closeAll, listen, placement, placementError } from "./socket-servers.ts";

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
    const error = await placementError(`http://${host}:4010`, { allowInsecureHttp: true, timeoutMs: 1000 });
    expect(error).toMatchObject({ outcome: "not_sent" });
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
    const error = await placementError(`https://localhost:${port}`, {
      fetchOptions: { dispatcher: await agentOf(tls) },
    });
    expect(error).toMatchObject({ outcome: "not_sent", cause: { cause: { code } } });
    expect([requests, bytes]).toEqual([0, 0]);
  });

  it("if the client's own certificate is none", async () => {
    const port = await listen(https.createServer(own));
    const dispatcher = await agentOf({ cert: "none", key: "none" });
    const error = await placementError(`https://localhost:${port}`, { fetchOptions: { dispatcher } });
    expect(error).toMatchObject({ outcome: "not_sent" });
  });

  it("if there is no connection in the time of its agent", async () => {
    // The server accepts, but never answers the handshake.
    const port = await listen(createServer());
    const fetchOptions = { dispatcher: await agentOf({ timeout: 50 }) };
    expect(await placementError(`https://127.0.0.1:${port}`, { fetchOptions })).toMatchObject({
      outcome: "not_sent",
      cause: { cause: { code: "UND_ERR_CONNECT_TIMEOUT" } },
    });
  });
});

it("a placement takes a new connection, once, if its kept-alive one ended unseen while the process was busy", async () => {
  const ended = new Int32Array(new SharedArrayBuffer(4));
  // In a thread of its own, it ends the connection while this one is blocked.
  const program = `
    const { workerData, parentPort } = require("node:worker_threads");
    let requests = 0;
    const body = '{"type":"initiated","callId":"c","roles":[]}';
    const head = "HTTP/1.1 201 Created\\r\\ncontent-type: application/json\\r\\ncontent-length: " + body.length + "\\r\\n\\r\\n";
    const server = require("node:net").createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => {
        requests += 1;
        socket.write(head + body);
      });
      parentPort.once("message", () => socket.destroy());
      socket.on("close", () => {
        Atomics.store(workerData, 0, 1);
        Atomics.notify(workerData, 0);
      });
    });
    server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
    parentPort.on("message", (message) => message === "count" && parentPort.postMessage(requests));`;
  const worker = new Worker(program, { eval: true, workerData: ended });
  const next = () => new Promise<number>((resolve) => worker.once("message", resolve));
  try {
    const client = clientOf(`http://127.0.0.1:${await next()}`);
    await client.roles.list();
    worker.postMessage("end");
    Atomics.wait(ended, 0, 0);
    expect(await client.calls.create(placement)).toMatchObject({ callId: "c" });
    const count = next();
    worker.postMessage("count");
    expect(await count).toBe(2);
  } finally {
    await worker.terminate();
  }
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
    const fetchOptions = { dispatcher: await agentOf({ ca: own.cert }) };
    const error = await placementError(`https://localhost:${port}`, { fetchOptions });
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
