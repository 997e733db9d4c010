import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { demo } from "@call-transfer/backend";
import { afterAll, afterEach, expect, it } from "vitest";
import { serverOptions } from "../../src/cli/start-options.ts";
import { type MockServer, socketLimits, startMockServer, startServer } from "../../src/server/server.ts";
import { checkTls } from "../../src/server/tls.ts";
import { runLine, startSettings } from "../cli/run-line.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-tls-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes a certificate for localhost, valid for a day. */
function certify(name: string) {
  const [certFile, keyFile] = [join(folder, `${name}.cert.pem`), join(folder, `${name}.key.pem`)];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", keyFile];
  execFileSync("openssl", ["req", "-x509", "-days", "1", ...key, "-out", certFile, ...names], { stdio: "ignore" });
  return { certFile, keyFile, cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

const own = certify("own");
const other = certify("other");
const tls = { cert: own.cert, key: own.key };
const now = Date.now();
const dayMs = 86_400_000;

let server: MockServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Sends a request that trusts the certificate. */
function send({ port }: MockServer, path: string, headers: Record<string, string> = {}, host = "localhost") {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request({ host, port, path, headers, ca: own.cert }, async (response) => {
      resolve({ status: response.statusCode, body: await text(response) });
    })
      .on("error", reject)
      .end();
  });
}

it("serves the API, the health check and the control plane over https", async () => {
  server = await startMockServer({ port: 0, tls });
  expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
  const authorization = `Bearer ${demo.apiKey}`;
  expect((await send(server, "/api/v1/roles", { authorization })).status).toBe(200);
  expect((await send(server, "/health", {}, "127.0.0.1")).body).toBe('{"status":"ok"}');
  const origin = `https://localhost:${server.port}`;
  expect((await send(server, "/_control/v1/clock", { origin })).status).toBe(200);
  const plain = `http://localhost:${server.port}`;
  expect((await send(server, "/_control/v1/clock", { origin: plain })).status).toBe(403);
});

it("records a client that sends plain HTTP, and says what to use", async () => {
  server = await startMockServer({ port: 0, tls });
  await expect(fetch(`http://127.0.0.1:${server.port}/api/v1/roles`)).rejects.toThrow("fetch failed");
  expect(server.backend.requests.list()).toMatchObject([
    {
      status: 400,
      decidedBy: {
        step: "server",
        detail: "The client sent plain HTTP, but this server expects TLS. Use https:// in place of http://.",
      },
    },
  ]);
});

it("tells a command of plain HTTP that the server expects TLS, and the other way round", async () => {
  server = await startMockServer({ port: 0, tls });
  const plain = `http://127.0.0.1:${server.port}`;
  await expect(runLine(plain, "clock")).rejects.toThrow(
    `The server at ${plain} closed the connection. If it was started with --tls-cert, use https:// in --url.`,
  );
  await server.close();
  server = await startMockServer({ port: 0 });
  const secure = `https://127.0.0.1:${server.port}`;
  await expect(runLine(secure, "clock")).rejects.toThrow(
    `The server at ${secure} does not use TLS. Use http:// in --url.`,
  );
});

it("resets a connection when a fault says so", async () => {
  server = await startMockServer({ port: 0, tls, faults: [{ do: "reset" }] });
  await expect(send(server, "/api/v1/roles")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect((await send(server, "/api/v1/roles")).status).toBe(401);
});

it.each<[string, object, number, string]>([
  ["an expired certificate", tls, now + 3 * dayMs, "tls.cert: the certificate expired on 20"],
  ["a certificate of tomorrow", tls, now - 3 * dayMs, "tls.cert: the certificate is not valid before 20"],
  ["the key of another certificate", { ...tls, key: other.key }, now, "tls.key: does not belong to the certificate"],
  ["a key as certificate", { ...tls, cert: own.key }, now, "tls.cert: must be a certificate in PEM form"],
  ["a certificate as key", { ...tls, key: own.cert }, now, "tls.key: must be a private key in PEM form"],
  ["a damaged certificate", { ...tls, cert: own.cert.replace(/\n\w{9}/, "\n") }, now, "tls.cert: is damaged"],
  ["a damaged key", { ...tls, key: own.key.replace(/\n\w{9}/, "\n") }, now, "tls.key: is damaged"],
  [
    "a key with a password",
    { ...tls, key: "-----BEGIN ENCRYPTED PRIVATE KEY-----\n" },
    now,
    "tls.key: has a password. Remove it: openssl pkey",
  ],
  ["a number", { ...tls, key: 5 }, now, "tls.key: must be a text or bytes in PEM form"],
])("rejects %s, without its content", (_, options, at, message) => {
  const check = () => checkTls(options as typeof tls, at);
  expect(check).toThrow(message);
  expect(check).not.toThrow(own.key.split("\n")[1] ?? "");
});

it("accepts bytes", () => {
  expect(() => checkTls({ cert: Buffer.from(own.cert), key: new TextEncoder().encode(own.key) })).not.toThrow();
});

it.each<[string[], string]>([
  [["--tls-cert", own.certFile], "requires --tls-key with the private key."],
  [["--tls-key", own.keyFile], "requires --tls-cert with the certificate."],
  [["--tls-cert", "none.pem", "--tls-key", own.keyFile], "--tls-cert none.pem: file not found."],
  [
    ["--tls-cert", own.certFile, "--tls-key", other.keyFile],
    `--tls-key ${other.keyFile}: does not belong to the certificate. Use the key that it was made with.`,
  ],
  [["--tls-cert", own.keyFile, "--tls-key", own.keyFile], `--tls-cert ${own.keyFile}: must be a certificate`],
])("rejects the options %j", async (args, message) => {
  await expect(startSettings(...args).then(({ values }) => serverOptions(values))).rejects.toThrow(message);
});

it("reads the files of the options", async () => {
  const { values } = await startSettings("--tls-cert", own.certFile, "--tls-key", own.keyFile);
  expect(serverOptions(values).tls).toEqual(tls);
});

it("closes a connection that does not begin TLS", async () => {
  server = await startServer({ port: 0, tls }, { ...socketLimits, headersTimeout: 50 });
  const socket = connect(server.port, "127.0.0.1").on("error", () => {});
  await once(socket, "close");
  expect(socket.bytesWritten).toBe(0);
});
