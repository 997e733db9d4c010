// Response bodies of nodeFetch: codings, limits, and ends that come too early.
import { createServer, type ServerResponse } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { clientOf, closeAll, fetchOf, listen, placementError } from "./servers.ts";

afterEach(closeAll);

async function serve(answer: (response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((_, response) => void answer(response));
  return `http://127.0.0.1:${await listen(server)}`;
}

const roles = '{"roles":[]}';
const json = { "content-type": "application/json" };
const mebibyte = 1024 * 1024;

describe("a body", () => {
  it.each([
    ["gzip", gzipSync(roles)],
    ["X-GZIP", gzipSync(roles)],
    ["deflate", deflateSync(roles)],
    ["deflate, without the header of zlib", deflateRawSync(roles)],
    ["br", brotliCompressSync(roles)],
    ["deflate, gzip", gzipSync(deflateSync(roles))],
  ])("in %s is decoded", async (name, body) => {
    const coding = name.replace(/, without.*/, "");
    const url = await serve((response) => response.writeHead(200, { ...json, "content-encoding": coding }).end(body));
    expect(await (await fetchOf()(url)).text()).toBe(roles);
  });

  it.each(["own", "constructor", "gzip, ".repeat(6).slice(0, -2)])("in %s stays as it is", async (coding) => {
    const url = await serve((response) => response.writeHead(200, { "content-encoding": coding }).end(roles));
    expect(await (await fetchOf()(url)).text()).toBe(roles);
  });

  it.each(["gzip", "deflate", "br"])("that is not the %s that it claims to be fails", async (coding) => {
    const url = await serve((response) => response.writeHead(200, { "content-encoding": coding }).end(roles));
    await expect((await fetchOf()(url)).text()).rejects.toThrow();
  });

  it.each(["gzip", "deflate", "br"])("that is empty in spite of %s is empty", async (coding) => {
    const url = await serve((response) => response.writeHead(200, { "content-encoding": coding }).end());
    expect(await (await fetchOf()(url)).text()).toBe("");
  });

  it("asks for the codings that it decodes", async () => {
    const server = createServer((request, response) => response.end(request.headers["accept-encoding"]));
    const response = await fetchOf()(`http://127.0.0.1:${await listen(server)}`);
    expect(await response.text()).toBe("gzip, deflate, br");
  });

  it("of many chunks arrives whole and in order", async () => {
    const chunks = Array.from({ length: 300 }, (_, n) => `${n},`.repeat(1000));
    const url = await serve(async (response) => {
      for (const chunk of chunks) if (!response.write(chunk)) await new Promise((go) => response.once("drain", go));
      response.end();
    });
    expect(await (await fetchOf()(url)).text()).toBe(chunks.join(""));
  });

  it("that nobody reads is not read far ahead", async () => {
    const total = 64 * mebibyte;
    let written = 0;
    const url = await serve((response) => {
      const chunk = Buffer.alloc(mebibyte);
      const more = (): void => {
        while (written < total) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
      };
      more();
    });
    const { body } = await fetchOf()(url);
    // A second request shows that the first had its time.
    for (let n = 0; n < 20; n += 1) await (await fetchOf()(await serve((response) => response.end("x")))).text();
    expect(written).toBeLessThan(total);
    await body?.cancel();
  });

  it.each(["gzip", "br"])("of 64 MiB in %s is not decoded beyond the client's limit", async (coding) => {
    const bytes = Buffer.alloc(64 * mebibyte, " ");
    const body = coding === "gzip" ? gzipSync(bytes) : brotliCompressSync(bytes, { params: { 1: 1 } });
    const url = await serve((response) => response.writeHead(201, { ...json, "content-encoding": coding }).end(body));
    const error = await placementError(url);
    expect(error).toMatchObject({ outcome: "applied", message: expect.stringContaining("larger than") });
  });

  it("that ends early is an error with what has arrived", async () => {
    const url = await serve((response) => {
      response.writeHead(201, { ...json, "content-length": 100 }).write('{"callId":');
      response.once("close", () => {});
      setImmediate(() => response.destroy());
    });
    const error = await placementError(url);
    expect(error).toMatchObject({ outcome: "applied" });
    expect(error.cause).toMatchObject({ name: "ConnectionError" });
  });

  it("that is cancelled ends its connection", async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const url = await serve((response) => {
      response.once("close", end);
      response.write("begin");
    });
    await (await fetchOf()(url)).body?.cancel();
    await ended;
  });

  it("that is short and never read frees its connection", async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end("short"));
    server.on("connection", () => (connections += 1));
    const url = `http://127.0.0.1:${await listen(server)}`;
    const send = fetchOf();
    await send(url);
    // Wide enough for the end of the first body.
    await (await fetchOf()(url)).text();
    await (await send(url)).text();
    expect(connections).toBe(2);
  });
});

it("a hundred errors in a row share a connection", async () => {
  let connections = 0;
  const server = createServer((_, response) => response.writeHead(500, json).end('{"code":"internal_error"}'));
  server.on("connection", () => (connections += 1));
  const client = clientOf(`http://127.0.0.1:${await listen(server)}`);
  for (let n = 0; n < 100; n += 1) await client.roles.list().result();
  expect(connections).toBe(1);
});
