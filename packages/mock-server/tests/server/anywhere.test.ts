// A server beyond localhost: its health check, control token, public URL, and pages of other origins.
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { demo, InputError } from "@call-transfer/backend";
import { afterEach, describe, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../../src/server/server.ts";
import type { MockServerOptions } from "../../src/server/server-options.ts";

let servers: MockServer[] = [];

async function start(options: MockServerOptions = {}): Promise<MockServer> {
  const server = await startMockServer({ port: 0, ...options });
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

/** Sends a request; unlike `fetch`, with any host name. */
function send({ port }: MockServer, path: string, headers: Record<string, string> = {}, method = "GET") {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      request({ port, host: "127.0.0.1", path, method, headers }, async (response) => {
        resolve({ status: response.statusCode, headers: response.headers, body: await text(response) });
      })
        .on("error", reject)
        .end();
    },
  );
}

const token = "0123456789abcdef";
const roles = "/api/v1/roles";
const key = `Bearer ${demo.apiKey}`;

describe("GET /health", () => {
  it.each(["evil.example", "10.1.2.3:8080", "localhost"])("answers for the host %s, without a token", async (host) => {
    const { status, body } = await send(await start({ controlToken: token }), "/health", { host });
    expect([status, body]).toEqual([200, '{"status":"ok"}']);
  });

  it("answers HEAD without a body, and accepts a query", async () => {
    const server = await start();
    const { status, headers, body } = await send(server, "/health?probe=1", {}, "HEAD");
    expect([status, headers["content-length"], body]).toEqual([200, "15", ""]);
    expect(headers["content-type"]).toBe("application/json");
  });

  it("opens nothing else", async () => {
    const server = await start({ controlToken: token });
    const host = "evil.example";
    const statuses = [];
    for (const path of [
      "/health/",
      "/healthz",
      "/health/ready/",
      "/health/../api/v1/roles",
      "/_control/v1/health",
      roles,
    ])
      statuses.push((await send(server, path, { host, authorization: key })).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await send(server, "/health", { host }, "POST")).status).toBe(403);
  });

  it("is not in the request log", async () => {
    const server = await start();
    await send(server, "/health");
    expect(server.backend.requests.list()).toEqual([]);
  });
});

describe("the control token", () => {
  it("protects a server that only this machine can reach, when it is given", async () => {
    const server = await start({ controlToken: token });
    expect(server.controlToken).toBe(token);
    const read = async (authorization: string) => (await send(server, "/_control/v1/clock", { authorization })).status;
    expect([await read(`Bearer ${token}`), await read("Bearer 0123456789abcdeg"), await read("")]).toEqual([
      200, 403, 403,
    ]);
  });

  it.each(["short", "0123456789abcde", "0123456789abcdef g", "0123456789abcdé", "a".repeat(257)])(
    "must not be %j, and the error does not repeat it",
    async (controlToken) => {
      const outcome = startMockServer({ port: 0, controlToken });
      await expect(outcome).rejects.toThrow(InputError);
      await expect(outcome).rejects.toThrow("controlToken: must have 16 to 256 characters");
      await expect(outcome).rejects.not.toThrow(controlToken);
    },
  );

  it("is random when other machines can reach the server and none is given", async () => {
    const [one, other] = [await start({ host: "0.0.0.0" }), await start({ host: "0.0.0.0" })];
    expect(one.controlToken).toMatch(/^[0-9a-f]{32}$/);
    expect(one.controlToken).not.toBe(other.controlToken);
  });
});

describe("the public URL", () => {
  it("is the server's URL, without a trailing slash", async () => {
    expect((await start({ publicUrl: "https://mock.example.test/base/" })).url).toBe("https://mock.example.test/base");
  });

  it("has its host accepted, and its pages are the server's own", async () => {
    const server = await start({ publicUrl: "https://mock.example", controlToken: token });
    const host = "mock.example";
    expect((await send(server, roles, { host, authorization: key })).status).toBe(200);
    const clock = (origin: string, path = "/_control/v1/clock", authorization = `Bearer ${token}`) =>
      send(server, path, { host, authorization, origin });
    expect((await clock("https://mock.example")).status).toBe(200);
    expect((await clock("https://mock.example", "/_control/v1/clock", "")).status).toBe(403);
    expect((await clock("https://other.example")).status).toBe(403);
    // The path cannot replace the host.
    expect((await clock("https://mock.example", "//evil.example/_control/v1/clock")).status).toBe(404);
  });

  it("makes the control plane require a token, unless it is on this machine", async () => {
    expect((await start({ publicUrl: "https://mock.example" })).controlToken).toMatch(/^[0-9a-f]{32}$/);
    expect((await start({ publicUrl: "http://localhost:8080" })).controlToken).toBeUndefined();
  });

  it.each(["mock.example", "ftp://mock.example", "http://mock.example?a=1", "http://me:hidden@mock.example", 5])(
    "must not be %j",
    async (publicUrl) => {
      const outcome = startMockServer({ port: 0, ...({ publicUrl } as object) });
      await expect(outcome).rejects.toThrow("publicUrl: must be an http or https URL");
      await expect(outcome).rejects.not.toThrow("hidden");
    },
  );
});

describe("a server on this machine that accepts another host name", () => {
  it.each(["my-tunnel.example.com", "*.example.com", "192.168.1.20"])(
    "requires a token for the control plane, since other machines may reach it as %s",
    async (name) => {
      const server = await start({ allowedHosts: [name] });
      const host = name.replace("*", "a");
      expect((await send(server, "/_control/v1/clock", { host })).status).toBe(403);
      expect(server.controlToken).toMatch(/^[0-9a-f]{32}$/);
    },
  );

  it.each(["mock", "*.mock.test", "App.localhost", "10.0.2.2"])("requires none for %s", async (name) => {
    expect((await start({ allowedHosts: [name] })).controlToken).toBeUndefined();
  });
});

describe("a page of an allowed origin", () => {
  const origin = "http://localhost:5173";
  const preflight = async (headers: Record<string, string> = {}, path = "/api/v1/calls") => {
    const server = await start({ corsOrigins: [origin] });
    return send(server, path, { origin, "access-control-request-method": "POST", ...headers }, "OPTIONS");
  };

  it("may send each header that its preflight asks for", async () => {
    const asked =
      "authorization,baggage,content-type,sentry-trace,traceparent,tracestate,x-request-id,x-requested-with";
    const { status, headers } = await preflight({ "access-control-request-headers": asked });
    expect([status, headers["access-control-allow-headers"]]).toEqual([204, asked]);
    expect(headers["access-control-allow-origin"]).toBe(origin);
    expect(headers.vary).toBe("Origin, Access-Control-Request-Headers");
  });

  it("may use the API's headers and methods when its preflight asks for none, or for what is no header", async () => {
    for (const headers of [{}, { "access-control-request-headers": "a;b" }])
      expect((await preflight(headers)).headers).toMatchObject({
        "access-control-allow-headers": "Authorization, X-Account-Id, X-Sandbox, Content-Type",
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      });
  });

  it("may come from a public site, if its browser asks", async () => {
    const { headers } = await preflight({ "access-control-request-private-network": "true" });
    expect(headers["access-control-allow-private-network"]).toBe("true");
    expect((await preflight()).headers).not.toHaveProperty("access-control-allow-private-network");
  });

  it("can read the headers of the answer that a client needs, also of HEAD and OPTIONS", async () => {
    const server = await start({ corsOrigins: [origin] });
    for (const method of ["GET", "HEAD", "OPTIONS"]) {
      const { headers } = await send(server, roles, { origin, authorization: key }, method);
      expect(headers).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-expose-headers": "X-Request-Id, Date, Retry-After, Allow, WWW-Authenticate",
      });
    }
  });

  it("gets no permission for the control plane, and other origins get none at all", async () => {
    expect((await preflight({}, "/_control/v1/reset")).status).toBe(403);
    const { status, headers } = await preflight({ origin: "http://evil.example" });
    expect([status, headers["access-control-allow-origin"]]).toEqual([403, undefined]);
  });
});
