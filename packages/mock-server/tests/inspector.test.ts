import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { program } from "../src/net/program.ts";
import { inspectorAnswer } from "../src/server/listener.ts";
import { type MockServer, startMockServer } from "../src/server/server.ts";
import type { MockServerOptions } from "../src/server/server-options.ts";
import { inspectorPage } from "../src/web/inspector-page.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-inspector-"));
mkdirSync(join(folder, "inspector/assets"), { recursive: true });
const files = {
  "secret.txt": "outside",
  "inspector/.hidden": "hidden",
  "inspector/index.html": "<!doctype html>",
  "inspector/assets/main-1a2b.js": "export {};",
  "inspector/assets/main-1a2b.css": "p {}",
  "inspector/assets/data-3c4d.bin": "?",
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
afterAll(() => rmSync(folder, { recursive: true }));

let servers: MockServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

async function start(options: MockServerOptions = {}): Promise<MockServer> {
  const server = await startMockServer({ port: 0, ...options });
  servers.push(server);
  return server;
}

const ask = (pathname: string, method = "GET") =>
  inspectorAnswer({ method, pathname, accept: "*/*" }, () => join(folder, "inspector"));

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

it("keeps out of the request log what a browser asks for beside the answer in its tab", async () => {
  const { url, backend } = await start();
  const statusFor = async (accept: string) => (await fetch(`${url}/favicon.ico`, { headers: { accept } })).status;
  expect(await statusFor("image/avif,image/webp,image/*,*/*;q=0.8")).toBe(404);
  expect(backend.requests.list()).toEqual([]);
  expect(await statusFor("application/json")).toBe(404);
  expect(backend.requests.list()).toMatchObject([{ path: "/favicon.ico", status: 404 }]);
});

it("tells the page how the program is called: from a clone by npm, from an installed package by npx", async () => {
  const html = '<div id="inspector" data-program="npx @call-transfer/mock-server"></div>';
  const read = async () => new TextEncoder().encode(html);
  const request = { method: "GET", pathname: "/_inspector/", accept: "*/*" };
  const page = async (program?: string) =>
    String((await inspectorPage(request, { read, advice: "", ...(program !== undefined && { program }) })).body);
  expect(await page("npm -s start --")).toContain('data-program="npm -s start --"');
  expect(new TextDecoder().decode((await inspectorPage(request, { read, advice: "" })).body as Uint8Array)).toBe(html);
  expect(program).toBe("npm -s start --");
});

describe("the inspector's files", () => {
  it.each([
    ["", "text/html; charset=utf-8", "no-store", "<!doctype html>"],
    ["index.html", "text/html; charset=utf-8", "no-store", "<!doctype html>"],
    ["assets/main-1a2b.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", "export {};"],
    ["assets/main-1a2b.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable", "p {}"],
    ["assets/data-3c4d.bin", "application/octet-stream", "public, max-age=31536000, immutable", "?"],
  ])(
    "are served with their type, and only those with a hash in their name are kept: %s",
    async (name, type, cache, text) => {
      const { status, headers, body } = await ask(`/_inspector/${name}`);
      expect([status, headers["Content-Type"], headers["Cache-Control"], String(body)]).toEqual([
        200,
        type,
        cache,
        text,
      ]);
    },
  );

  it.each([
    "none",
    "secret.txt",
    ".hidden",
    "../secret.txt",
    "assets/../../secret.txt",
    "assets/..",
    "assets/%2e%2e%2f%2e%2e%2fsecret.txt",
    "assets/..%2f..%2fsecret.txt",
    "assets/..\\..\\secret.txt",
    "assets/main-1a2b.js/",
    "assets/",
    "assets/none.js",
    "assets/main-1a2b.js%00",
  ])("are found at their own paths only: not at %s", async (path) => {
    expect((await ask(`/_inspector/${path}`)).status).toBe(404);
  });

  it("cannot be written", async () => {
    const { status, headers } = await ask("/_inspector/", "POST");
    expect([status, headers.Allow]).toEqual([405, "GET, HEAD"]);
  });

  it("are replaced by a page that says what to run when they are missing", async () => {
    const request = { method: "GET", pathname: "/_inspector/", accept: "*/*" };
    const { status, body } = await inspectorAnswer(request, () => join(folder, "missing"));
    expect([status, String(body)]).toEqual([503, expect.stringContaining("run npm run build")]);
  });

  it("have a policy that allows nothing inline and no other origin", async () => {
    for (const path of ["", "assets/main-1a2b.js", "none"]) {
      const { headers } = await ask(`/_inspector/${path}`);
      expect(headers).toMatchObject({
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
      });
      const policy = headers["Content-Security-Policy"] ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
    }
  });
});

describe("a server", () => {
  const read = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers, redirect: "manual" });

  it("sends browsers from / to the inspector, and tells programs there that it is ready", async () => {
    const { url, backend } = await start();
    const sent = await read(`${url}/`, browser);
    expect([sent.status, sent.headers.get("location"), sent.headers.get("vary")]).toEqual([
      302,
      "_inspector/",
      "Accept",
    ]);
    const told = await read(`${url}/?probe=1`);
    expect([told.status, await told.json()]).toEqual([
      200,
      { status: "ok", api: "/api/v1", inspector: "/_inspector/", health: "/health" },
    ]);
    const asked = await fetch(`${url}/`, { method: "HEAD" });
    expect([asked.status, await asked.text()]).toEqual([200, ""]);
    expect(backend.requests.list()).toEqual([]);
    const posted = await fetch(`${url}/`, { method: "POST", headers: browser });
    expect(posted.status).toBe(404);
  });

  it("adds the slash that the inspector's relative addresses need", async () => {
    const { url } = await start();
    const sent = await read(`${url}/_inspector`);
    expect([sent.status, new URL(sent.headers.get("location") ?? "", `${url}/_inspector`).pathname]).toEqual([
      302,
      "/_inspector/",
    ]);
  });

  it("asks for no control token for the inspector's files, and keeps requests for them out of the request log", async () => {
    const { url, backend } = await start({ controlToken: "0123456789abcdef" });
    expect((await read(`${url}/_inspector/none`)).status).toBe(404);
    expect((await read(`${url}/`, browser)).status).toBe(302);
    expect((await fetch(`${url}/_inspector/none`, { method: "HEAD" })).status).toBe(404);
    expect(backend.requests.list()).toEqual([]);
  });

  it("refuses the inspector under another host name and to pages of other origins", async () => {
    const { url, port } = await start();
    expect((await read(`${url}/_inspector/none`, { origin: "http://localhost:1" })).status).toBe(403);
    const { request } = await import("node:http");
    const status = await new Promise((resolve, reject) => {
      const headers = { host: `attacker.test:${port}`, ...browser };
      const sent = request({ port, host: "127.0.0.1", path: "/_inspector/", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject).end();
    });
    expect(status).toBe(403);
  });
});
