import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { freePort } from "../../../../build/free-port.ts";
import { type ProxyServer, startProxy } from "../../src/proxy/proxy.ts";
import { proxyTo, startTarget } from "./target.ts";

const apiKey = "svc_live_test";
const authorization = `Bearer ${apiKey}`;
const roles = JSON.stringify({ roles: [{ role: "owner", permissions: ["calls:read"] }] });

/** Sends bytes and returns everything received until the connection closes. */
async function raw({ port }: ProxyServer, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(request);
  return text(socket);
}

describe("what a proxy forwards", () => {
  it("sends method, query and body unchanged, below the target's own path", async () => {
    const target = await startTarget((response) => response.writeHead(201).end());
    const proxy = await proxyTo(`${target.url}/staging/`);
    const body = '{ "a":  "\\u00e9", "b": 1.0 }';
    await raw(
      proxy,
      `POST /api/v1/calls?x=%2b'a'+b&&y HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const [request] = target.received;
    expect(request).toMatchObject({ method: "POST", target: "/staging/api/v1/calls?x=%2b'a'+b&&y" });
    expect(String(request?.body)).toBe(body);
  });

  it("sends the client's headers, without those of the connection and of the proxy", async () => {
    const target = await startTarget((response) => response.end());
    const proxy = await proxyTo(target.url, { corsOrigins: ["http://localhost:5173"] });
    await raw(
      proxy,
      [
        "GET /api/v1/roles HTTP/1.1",
        "Host: 127.0.0.1",
        `Authorization: ${authorization}`,
        "X-Account-Id: a-1",
        "X-Trace: one",
        "X-Trace: two",
        "X-Sandbox: mine",
        "X-Hop: here",
        "Origin: http://localhost:5173",
        "Sec-Fetch-Site: cross-site",
        "TE: trailers",
        "Connection: close, X-Hop",
        "\r\n",
      ].join("\r\n"),
    );
    const host = new URL(target.url).host;
    expect(target.received[0]?.headers.slice(0, -2)).toEqual([
      "Host",
      host,
      "Authorization",
      authorization,
      "X-Account-Id",
      "a-1",
      "X-Trace",
      "one",
      "X-Trace",
      "two",
    ]);
  });

  it("answers with the target's status, headers and bytes, also compressed ones", async () => {
    const bytes = gzipSync(roles);
    const target = await startTarget((response) => {
      response.writeHead(200, "Fine", [
        "Content-Encoding",
        "gzip",
        "Content-Type",
        "application/json",
        "Set-Cookie",
        "a=1",
        "Set-Cookie",
        "b=2",
        "X-Request-Id",
        "r-1",
      ]);
      response.end(bytes);
    });
    const proxy = await proxyTo(target.url);
    const answer = await raw(proxy, "GET /api/v1/roles HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    expect(answer).toContain("HTTP/1.1 200 Fine\r\n");
    expect(answer.match(/Set-Cookie: \w=\d/g)).toEqual(["Set-Cookie: a=1", "Set-Cookie: b=2"]);
    const response = await fetch(`${proxy.url}/api/v1/roles`, { headers: { authorization } });
    expect([response.headers.get("content-encoding"), await response.text()]).toEqual(["gzip", roles]);
  });

  it.each([
    ["a body with 50,000 levels", "POST", "/api/v1/calls", `[${"[".repeat(50_000)}${"]".repeat(50_000)}]`, "{}"],
    ["an answer with 50,000 levels", "GET", "/api/v1/roles", undefined, `${"[".repeat(50_000)}${"]".repeat(50_000)}`],
    ["a call longer than time", "GET", "/api/v1/calls", undefined, '{"calls":[{"id":"c","duration":1e300}]}'],
    ["a path that cannot be decoded", "DELETE", "/api/v1/transfers/members/%zz/hours", undefined, "{}"],
  ])("passes on and records what it cannot read: %s", async (_, method, path, body, answer) => {
    const target = await startTarget((response) => response.end(answer));
    const proxy = await proxyTo(target.url);
    const headers = { authorization, ...(body !== undefined && { "content-type": "application/json" }) };
    const response = await fetch(proxy.url + path, { method, headers, ...(body !== undefined && { body }) });
    expect([response.status, await response.text()]).toEqual([200, answer]);
    expect(proxy.backend.journal.list()).toMatchObject([{ method, path, status: 200 }]);
    expect(proxy.recordedSeed()).toMatchObject({ apiKeys: [{}] });
  });

  it("passes a redirect on and does not follow it", async () => {
    const target = await startTarget((response) => response.writeHead(307, { Location: "/elsewhere" }).end());
    const proxy = await proxyTo(target.url);
    const response = await fetch(`${proxy.url}/api/v1/roles`, { redirect: "manual" });
    expect([response.status, response.headers.get("location"), target.received.length]).toEqual([307, "/elsewhere", 1]);
  });

  it("passes answers without a body on: 204 and those to HEAD", async () => {
    const target = await startTarget((response, { method }) =>
      method === "HEAD" ? response.writeHead(200, { "Content-Length": 12 }).end() : response.writeHead(204).end(),
    );
    const proxy = await proxyTo(target.url);
    const hours = `${proxy.url}/api/v1/transfers/members/m-1/hours`;
    const removed = await fetch(hours, { method: "DELETE" });
    const head = await fetch(`${proxy.url}/api/v1/roles`, { method: "HEAD" });
    expect([removed.status, await removed.text()]).toEqual([204, ""]);
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "12", ""]);
  });

  it("answers a page of an allowed origin with its own CORS headers", async () => {
    const origin = "http://localhost:5173";
    const target = await startTarget((response) =>
      response.writeHead(200, { "Access-Control-Allow-Origin": "https://app.example.com" }).end(),
    );
    const proxy = await proxyTo(target.url, { corsOrigins: [origin] });
    const response = await fetch(`${proxy.url}/api/v1/roles`, { headers: { origin } });
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
  });
});

describe("a proxy whose target fails", () => {
  it("sends a request once when the target closes the connection after reading it", async () => {
    const target = await startTarget((response) => response.socket?.destroy());
    const proxy = await proxyTo(target.url);
    const response = await fetch(`${proxy.url}/api/v1/calls`, { method: "POST", body: "{}" });
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { error: { code: "target_closed", message: expect.stringContaining("may have processed the request") } },
    ]);
    expect(target.received).toHaveLength(1);
  });

  it("names a target that cannot be reached", async () => {
    const proxy = await proxyTo("http://127.0.0.1:1");
    const response = await fetch(`${proxy.url}/api/v1/roles`);
    expect([response.status, await response.json()]).toEqual([
      502,
      {
        error: {
          code: "target_unreachable",
          message:
            "http://127.0.0.1:1 cannot be reached (ECONNREFUSED). Check the address of --target, and that the API runs there.",
        },
      },
    ]);
  });

  it("gives a target up that does not answer in time", async () => {
    const target = await startTarget(() => {});
    const proxy = await proxyTo(target.url, { timeoutMs: 20 });
    const response = await fetch(`${proxy.url}/api/v1/roles`);
    expect([response.status, await response.json()]).toMatchObject([504, { error: { code: "target_timeout" } }]);
  });

  it("breaks the answer off where the target breaks it off", async () => {
    const target = await startTarget((response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("{", () => response.socket?.destroySoon());
    });
    const proxy = await proxyTo(target.url);
    const answer = await raw(proxy, "GET /api/v1/roles HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\n{$/);
  });

  it("shows the beginning of an answer that stops", async () => {
    const target = await startTarget((response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("{");
    });
    const proxy = await proxyTo(target.url);
    const socket = connect(proxy.port, "127.0.0.1").setEncoding("utf8");
    socket.write("GET /api/v1/roles HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    let seen = "";
    for await (const part of socket) {
      seen += part;
      if (seen.endsWith("{")) break;
    }
    expect(seen).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\n{$/);
  });

  it("ends the request to the target when the client leaves", async () => {
    const steps = new EventEmitter();
    const [arrived, ended] = [once(steps, "arrived"), once(steps, "ended")];
    const target = await startTarget((response) => {
      response.once("close", () => steps.emit("ended"));
      steps.emit("arrived");
    });
    const proxy = await proxyTo(target.url);
    const socket = connect(proxy.port, "127.0.0.1");
    socket.write("GET /api/v1/roles HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await arrived;
    socket.destroy();
    await ended;
    expect(target.received).toHaveLength(1);
  });
});

describe("what a proxy answers itself", () => {
  it("forwards no other paths, not even through dots", async () => {
    const target = await startTarget((response) => response.end());
    const proxy = await proxyTo(target.url);
    for (const path of ["/", "/other", "/api/v1/../../admin", "/api/v1/%2e%2e/admin", "/_sandbox/a/api/v1/roles"]) {
      const answer = await raw(proxy, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 404 [\s\S]*not_forwarded/);
    }
    const detail = "The proxy forwards paths under /api/v1 only. Check the path.";
    expect(proxy.backend.journal.list().map(({ status, decidedBy }) => [status, decidedBy.detail])).toEqual(
      Array.from({ length: 5 }, () => [404, detail]),
    );
    expect(target.received).toEqual([]);
  });

  it("applies the gate of the mock server", async () => {
    const target = await startTarget((response) => response.end());
    const proxy = await proxyTo(target.url);
    const answers = await Promise.all([
      raw(proxy, "GET /api/v1/roles HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
      raw(
        proxy,
        "GET /api/v1/roles HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n",
      ),
    ]);
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(["403", "403"]);
    expect(target.received).toEqual([]);
  });

  it("refuses changes of data that it does not have", async () => {
    const proxy = await proxyTo("http://127.0.0.1:1");
    const change = await fetch(`${proxy.url}/_control/v1/clock/advance`, { method: "POST", body: '{"by":1000}' });
    expect([change.status, await change.json()]).toMatchObject([409, { error: { code: "no_data" } }]);
    const health = await fetch(`${proxy.url}/_control/v1/health`);
    expect(health.status).toBe(200);
  });
});

describe("a wrong target", () => {
  it.each([
    ["ftp://staging.example.com", "must be an http or https URL"],
    ["staging.example.com", "must be an http or https URL"],
    ["https://me:secret@staging.example.com", "without user name and password"],
    ["https://staging.example.com/?a=1", "must not have a query"],
    ["https://staging.example.com/api/v1", "must not include /api/v1"],
  ])("%s is refused", async (target, message) => {
    const refused = await startProxy({ port: 0, target }).catch((error: unknown) => error);
    expect(String(refused)).toContain(message);
    expect(String(refused)).not.toContain("secret");
  });

  it("is the proxy itself", async () => {
    // Its target must name it before it listens.
    const port = await freePort();
    const refused = startProxy({ port, target: `http://localhost:${port}` });
    await expect(refused).rejects.toThrow("is the proxy itself");
  });
});

describe("the journal of a proxy", () => {
  it("keeps no endless code of a target", async () => {
    const codes = ["x".repeat(101), "overloaded"];
    const target = await startTarget((response) =>
      response.writeHead(500).end(JSON.stringify({ code: codes.shift() })),
    );
    const proxy = await proxyTo(target.url);
    for (const _ of codes.slice()) await fetch(`${proxy.url}/api/v1/roles`);
    expect(proxy.backend.journal.list().map(({ code }) => code)).toEqual([undefined, "overloaded"]);
  });
});

describe("a strict proxy", () => {
  it("refuses a request that deviates, with the places", async () => {
    const target = await startTarget((response) => response.end());
    const proxy = await proxyTo(target.url, { strict: true });
    const response = await fetch(`${proxy.url}/api/v1/calls?limit=0`, { headers: { authorization } });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: "request_deviates", deviations: [{ side: "request", where: "query limit" }] } },
    ]);
    expect(target.received).toEqual([]);
  });
});
