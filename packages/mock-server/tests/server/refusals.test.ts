import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { type BackendEvent, demo } from "@call-transfer/backend";
import { afterEach, describe, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../../src/index.ts";
import { createRefusalRecord, type RefusedRequest } from "../../src/server/refusals.ts";

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
  ["control token", "/_control/v1/clock", {}, "control token"],
])(
  "announces a refused %s with what would allow it, and keeps it out of the request log",
  async (_what, path, headers, advice) => {
    const { port, backend, events } = await start({ controlToken: "0123456789abcdef" });
    expect(await send(port, path, headers)).toBe(403);
    const expected = { path, status: 403, code: "forbidden", decidedBy: { step: "server" } };
    expect(backend.requests.list()).toEqual([]);
    const detail = expect.stringContaining(advice);
    expect(events).toMatchObject([{ type: "request.rejected", ...expected, decidedBy: { step: "server", detail } }]);
  },
);

describe("a page that may not use the server", () => {
  const foreign: readonly Record<string, string>[] = [
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", accept: "text/html" },
    { origin: "http://a.test" },
    { origin: "http://a.test", "sec-fetch-site": "cross-site" },
    { origin: "null", "sec-fetch-site": "cross-site" },
  ];

  it("leaves nothing behind: no sandbox, no use of a fault, no entry of the request log", async () => {
    const { port, sandboxes, backend } = await start({ autoSandboxes: true, faults: ["* 503"] });
    const authorization = `Bearer ${demo.apiKey}`;
    const paths = ["/api/v1/roles", "/_sandbox/foreign/api/v1/roles", "/_control/v1/clock", "/x"];
    for (const path of paths)
      for (const headers of foreign)
        for (const body of [undefined, "{}"])
          expect(await send(port, path, { ...headers, authorization, "x-sandbox": "other" }, body)).toBe(403);
    expect(await send(port, "/health", foreign[0] ?? {})).toBe(403);
    expect([sandboxes.list(), backend.requests.list()]).toEqual([["default"], []]);
    expect(await send(port, "/api/v1/roles", { authorization })).toBe(503);
  });

  it("is announced once for each reason, up to 20, with what would allow it", async () => {
    const { port, events } = await start();
    for (let page = 0; page < 60; page += 1)
      await send(port, "/api/v1/roles", { origin: `http://page-${page >> 1}.test` });
    expect(events).toHaveLength(20);
    const detail = 'Origin "http://page-1.test" is not allowed. Add it with --cors-origin http://page-1.test.';
    expect(events[1]).toMatchObject({ type: "request.rejected", status: 403, decidedBy: { step: "server", detail } });
  });
});

it("records a body that is too large, a duplicate header and a wrong Expect", async () => {
  const { port, backend } = await start();
  const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
  await send(port, "/api/v1/calls", { ...headers, "content-length": String(20 * 2 ** 20) }, "x").catch(() => {});
  await sendBytes(port, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Sandbox: a\r\nX-Sandbox: a\r\n\r\n");
  await send(port, "/", { expect: "magic" });
  const details = backend.requests.list().map(({ status, decidedBy }) => [status, decidedBy.detail]);
  expect(details).toEqual([
    [400, "The request body exceeds 1 MiB. Send a smaller one."],
    [400, "Duplicate header x-sandbox. Send it once."],
    [400, "The value of the Expect header is not supported."],
  ]);
});

describe("a body of more than 1 MiB gets the same answer over HTTP as in process", () => {
  const hours = `/api/v1/transfers/members/${demo.members.agent}/hours`;
  const key = { authorization: `Bearer ${demo.apiKey}` };
  const json = { ...key, "content-type": "application/json" };
  const longBody = "x".repeat(2 ** 20 + 1);
  const chunked = () => new Blob([longBody]).stream();

  it.each<[string, string, string, Record<string, string>, number, string | undefined]>([
    ["an operation that has none", "DELETE", hours, key, 204, undefined],
    ["an operation that has none, as JSON", "DELETE", hours, json, 204, undefined],
    ["an operation with a body", "POST", "/api/v1/calls", json, 400, "bad_request"],
    ["an operation without a credential", "POST", "/api/v1/calls", {}, 401, "token_missing"],
    ["an operation with a malformed id", "DELETE", "/api/v1/transfers/members/x/hours", key, 400, "invalid_id_format"],
    ["an unknown path", "POST", "/api/v1/nothing-here", key, 404, "not_found"],
    ["a method that the path does not have", "PUT", "/api/v1/roles", key, 404, "not_found"],
    ["the control plane", "POST", "/_control/v1/clock/advance", json, 400, undefined],
  ])("for %s", async (_what, method, path, headers, status, code) => {
    const { url, sandboxes } = await start();
    for (const body of [() => longBody, chunked]) {
      const init = () => ({ method, headers, body: body(), duplex: "half" }) as RequestInit;
      const overHttp = await fetch(url + path, init());
      const inProcess = await sandboxes.fetch(new Request(url + path, init()));
      const read = async (response: Response) => {
        const text = await response.text();
        return [response.status, text === "" ? undefined : (JSON.parse(text) as { code?: string }).code];
      };
      expect([await read(overHttp), await read(inProcess)]).toEqual([
        [status, code],
        [status, code],
      ]);
    }
  });

  it("and the server stops reading a body without end", async () => {
    const { port } = await start();
    const outgoing = request({ host: "127.0.0.1", port, path: hours, method: "DELETE", headers: key });
    outgoing.on("error", () => {});
    const closed = once(outgoing, "close");
    const [response] = await Promise.all([
      once(outgoing, "response"),
      (async () => {
        const part = Buffer.alloc(2 ** 16);
        while (!outgoing.destroyed) {
          outgoing.write(part);
          await new Promise((resolve) => setImmediate(resolve));
        }
      })(),
    ]);
    (response[0] as { resume(): void }).resume();
    await closed;
  });
});

it.each<[string, string | Uint8Array, string, string]>([
  [
    "TLS",
    Uint8Array.from([0x16, 0x03, 0x01, 0, 5, 1, 0, 0, 1, 3]),
    "HTTP/1.1 400",
    "Use http:// in place of https://.",
  ],
])("answers and records %s", async (_what, bytes, answer, detail) => {
  const { port, backend } = await start();
  expect(await sendBytes(port, bytes)).toContain(answer);
  expect(backend.requests.list()).toMatchObject([
    { decidedBy: { step: "server", detail: expect.stringContaining(detail) } },
  ]);
});

describe("a request that is not HTTP", () => {
  const post = "POST /api/v1/calls HTTP/1.1\r\nHost: localhost\r\n";
  const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;
  const forms: readonly (readonly [string, string, string])[] = [
    ["two lengths", `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`, "Content-Length"],
    ["a length beside chunks", `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, "valid HTTP"],
    [
      "20 kB of headers",
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      "headers are too large",
    ],
    ["1 MB of headers", `GET / HTTP/1.1\r\nX: ${"x".repeat(1_000_000)}\r\n\r\n`, "headers are too large"],
    ["a wrong chunk", `${chunked}zz\r\n{}\r\n0\r\n\r\n`, "valid HTTP"],
    ["long chunk extensions", `${chunked}1;${"x".repeat(20_000)}\r\n{\r\n`, "chunk extensions"],
    ["garbage", "\u0000\u0001\r\n\r\n", "valid HTTP"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/2"],
    ["a colon too few", "GET / HTTP/1.1\r\nHost localhost\r\n\r\n", "valid HTTP"],
  ];

  it.each(forms)(
    "with %s gets an error of the API, with the id of the request log's entry",
    async (_, bytes, reason) => {
      const { port, backend } = await start();
      const [head = "", body = ""] = (await sendBytes(port, bytes)).split("\r\n\r\n");
      const requestId = /^x-request-id: (\S+)\r?$/im.exec(head)?.[1];
      expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(head).toMatch(/^content-type: application\/json\r?$/im);
      expect(head).toMatch(new RegExp(`^content-length: ${body.length}\r?$`, "im"));
      expect(head).toMatch(/^connection: close\r?$/im);
      const detail = expect.stringContaining(reason);
      expect(JSON.parse(body)).toEqual({
        ...{ code: "bad_request", status: 400, title: expect.any(String), detail, requestId: expect.any(String) },
      });
      expect(JSON.parse(body).requestId).toBe(requestId);
      expect(backend.requests.list()).toMatchObject([
        { status: 400, code: "bad_request", requestId, decidedBy: { detail } },
      ]);
      expect(await send(port, "/api/v1/roles", {})).toBe(401);
    },
  );

  it("that its client ends in the middle gets an error of the API, and no entry", async () => {
    const { port, backend } = await start();
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    let answer = "";
    socket.on("data", (text) => {
      answer += text;
    });
    socket.end(`${post}Content-Length: 100\r\n\r\n{"flow`);
    await once(socket, "close");
    expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toMatchObject({ code: "bad_request", status: 400 });
    expect(backend.requests.list()).toEqual([]);
  });

  it("that follows another one leaves one answer, and the server running", async () => {
    const { port } = await start();
    const good = "GET /api/v1/roles HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const answer = await sendBytes(port, `${good}GARBAGE\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
    expect(await send(port, "/api/v1/roles", {})).toBe(401);
  });

  it("gets nothing behind the beginning of a response", async () => {
    const { port } = await start();
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    let answer = "";
    const begun = once(socket, "data");
    socket.on("data", (text) => {
      answer += text;
    });
    socket.write("GET /_control/v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await begun;
    socket.write("GARBAGE\r\n\r\n");
    await once(socket, "close");
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    expect(answer).not.toContain("bad_request");
  });
});

it("does not record a connection that breaks", async () => {
  const { port, backend } = await start();
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.resetAndDestroy();
  await once(socket, "close");
  expect(await send(port, "/api/v1/roles", {})).toBe(401);
  expect(backend.requests.list().map(({ status }) => status)).toEqual([401]);
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
