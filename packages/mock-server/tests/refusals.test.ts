import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import type { BackendEvent } from "@call-transfer/backend";
import { afterEach, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../src/index.ts";
import { createRefusalRecord, type RefusedRequest } from "../src/server/refusals.ts";

let server: MockServer | undefined;

async function start(options: Parameters<typeof startMockServer>[0] = {}) {
  const started = await startMockServer({ port: 0, ...options });
  server = started;
  const events: BackendEvent[] = [];
  started.sandboxes.follow((_sandbox, event) => void events.push(event));
  return { ...started, events };
}

afterEach(() => server?.close());

/** Sends a request with `node:http`, which allows every header. */
function send(port: number, path: string, headers: Record<string, string | string[]>, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const outgoing = request({ host: "127.0.0.1", port, path, method, headers }, (incoming) => {
      incoming.resume().once("end", () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.once("error", reject).end(body);
  });
}

/** Sends bytes as they are, and resolves with what the server answers. */
async function sendBytes(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("latin1").on("data", (text) => {
    answer += text;
  });
  socket.on("error", () => {});
  socket.write(bytes);
  await once(socket, "close");
  return answer;
}

it.each<[string, string, Record<string, string>, string]>([
  ["host", "/api/v1/roles", { host: "my-laptop.example" }, "--allow-host my-laptop.example"],
  ["origin", "/api/v1/roles", { origin: "http://localhost:5173" }, "--cors http://localhost:5173"],
  ["control token", "/_control/v1/clock", {}, "control token"],
])(
  "announces a refused %s with what would allow it, and keeps it out of the journal",
  async (_what, path, headers, advice) => {
    const { port, backend, events } = await start({ controlToken: "0123456789abcdef" });
    expect(await send(port, path, headers)).toBe(403);
    const expected = { path, status: 403, code: "forbidden", decidedBy: { step: "gate" } };
    expect(backend.journal.list()).toEqual([]);
    const detail = expect.stringContaining(advice);
    expect(events).toMatchObject([{ type: "request.refused", ...expected, decidedBy: { step: "gate", detail } }]);
  },
);

it("records a body that is too large, a duplicate header and a wrong Expect", async () => {
  const { port, backend } = await start();
  await send(port, "/api/v1/calls", { "content-length": String(20 * 2 ** 20) }, "x").catch(() => {});
  await sendBytes(port, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Sandbox: a\r\nX-Sandbox: a\r\n\r\n");
  await send(port, "/", { expect: "magic" });
  const details = backend.journal.list().map(({ status, decidedBy }) => [status, decidedBy.detail]);
  expect(details).toEqual([
    [400, expect.stringContaining("The request body is larger than")],
    [400, "Duplicate header x-sandbox. Send it once."],
    [400, "The value of the Expect header is not supported."],
  ]);
});

it.each<[string, string | Uint8Array, string, string]>([
  ["no HTTP", "GARBAGE\r\n\r\n", "HTTP/1.1 400", "The request is not valid HTTP: "],
  [
    "TLS",
    Uint8Array.from([0x16, 0x03, 0x01, 0, 5, 1, 0, 0, 1, 3]),
    "HTTP/1.1 400",
    "Use http:// in place of https://.",
  ],
  ["large headers", `GET / HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, "HTTP/1.1 431", "The headers are too large."],
])("answers and records %s", async (_what, bytes, answer, detail) => {
  const { port, backend } = await start();
  expect(await sendBytes(port, bytes)).toContain(answer);
  expect(backend.journal.list()).toMatchObject([
    { decidedBy: { step: "gate", detail: expect.stringContaining(detail) } },
  ]);
});

it("does not record a connection that breaks", async () => {
  const { port, backend } = await start();
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.resetAndDestroy();
  await once(socket, "close");
  expect(await send(port, "/api/v1/roles", {})).toBe(401);
  expect(backend.journal.list().map(({ status }) => status)).toEqual([401]);
});

it("records at most 50 refusals a second, so that a flood does not displace other requests", () => {
  const recorded: unknown[] = [];
  let now = 0;
  const record = createRefusalRecord(
    (one) => void recorded.push(one),
    () => now,
  );
  const headers = { get: () => null, [Symbol.iterator]: () => [][Symbol.iterator]() };
  const refused: RefusedRequest = { method: "GET", target: "//[", headers, status: 403, detail: "No." };
  for (let count = 0; count < 80; count += 1) record(refused);
  expect(recorded).toHaveLength(50);
  now = 1000;
  record(refused);
  expect(recorded).toHaveLength(51);
});

it("names the closest operation of an unmatched request", async () => {
  const { port, events } = await start();
  expect(await send(port, "/api/v1/role", {})).toBe(404);
  expect(events).toMatchObject([{ closest: [{ method: "GET", path: "/api/v1/roles" }, {}, {}] }]);
});
