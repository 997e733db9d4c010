// An abort of nodeFetch at each moment of a request.
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { closeAll, fetchOf, listen } from "./servers.ts";

afterEach(closeAll);

const reason = new Error("enough");

/** Aborts a request when `moment` resolves, and returns when its server's connection has ended. */
async function abortAt(server: Server, scheme: "http" | "https", moment: Promise<unknown>, init: RequestInit = {}) {
  const ended = new Promise<void>((resolve) => server.on("connection", (socket) => socket.once("close", resolve)));
  const url = `${scheme}://127.0.0.1:${await listen(server)}`;
  const controller = new AbortController();
  const response = fetchOf()(url, { ...init, signal: controller.signal });
  void moment.then(() => controller.abort(reason));
  await expect(response).rejects.toBe(reason);
  await ended;
}

function signalled(): { fire: () => void; moment: Promise<void> } {
  let fire = (): void => {};
  const moment = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { fire, moment };
}

describe("an abort", () => {
  it("before the request sends nothing", async () => {
    let connections = 0;
    const server = createServer(() => (connections += 1));
    const url = `http://127.0.0.1:${await listen(server)}`;
    await expect(fetchOf()(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(connections).toBe(0);
  });

  it("during the lookup and the connection ends the request", async () => {
    const controller = new AbortController();
    let requests = 0;
    const server = createHttpServer((_, response) => {
      requests += 1;
      response.end("all");
    });
    const url = `http://localhost:${await listen(server)}`;
    const response = fetchOf()(url, { signal: controller.signal });
    controller.abort(reason);
    await expect(response).rejects.toBe(reason);
    // A second request on the same way shows that the first one did not follow.
    await (await fetchOf()(url)).text();
    expect(requests).toBe(1);
  });

  it("during the TLS handshake ends the connection", async () => {
    const { fire, moment } = signalled();
    const server = createServer((socket) => socket.once("data", fire));
    await abortAt(server, "https", moment);
  });

  it("while the body is sent ends the connection, and cancels the body", async () => {
    const { fire, moment } = signalled();
    const server = createHttpServer((request) => request.once("data", fire));
    const cancelled = signalled();
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1024)),
      cancel: cancelled.fire,
    });
    const init: RequestInit & { duplex: "half" } = { method: "POST", body: endless, duplex: "half" };
    await abortAt(server, "http", moment, init);
    await cancelled.moment;
  });

  it("while the response is awaited ends the connection", async () => {
    const { fire, moment } = signalled();
    await abortAt(createHttpServer(fire), "http", moment);
  });

  it("in the body ends the reading with its reason, and the connection", async () => {
    const { fire, moment } = signalled();
    const server = createHttpServer((_, response) => {
      response.once("close", fire);
      response.write("begin");
    });
    const controller = new AbortController();
    const response = await fetchOf()(`http://127.0.0.1:${await listen(server)}`, { signal: controller.signal });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBe(5);
    const rest = reader?.read();
    controller.abort(reason);
    await expect(rest).rejects.toBe(reason);
    await moment;
  });

  it("after the end changes nothing", async () => {
    const server = createHttpServer((_, response) => response.end("all"));
    const controller = new AbortController();
    const response = await fetchOf()(`http://127.0.0.1:${await listen(server)}`, { signal: controller.signal });
    const text = await response.text();
    controller.abort(reason);
    expect(text).toBe("all");
  });
});

it("a thousand requests with one signal leave no listener on it", async () => {
  const server = createHttpServer((_, response) => response.end("all"));
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  const url = `http://127.0.0.1:${await listen(server)}`;
  const send = fetchOf();
  for (let n = 0; n < 1000; n += 1) await (await send(url, { signal })).text();
  await new Promise((resolve) => setImmediate(resolve));
  expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([1000, 1000]);
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener));
});

it("close() ends connections in use, and later requests open new ones", async () => {
  let connections = 0;
  const server = createHttpServer((request, response) => void (request.url === "/" && response.end("all")));
  server.on("connection", () => (connections += 1));
  const url = `http://127.0.0.1:${await listen(server)}`;
  const send = fetchOf();
  const waiting = send(`${url}/never`);
  await (await send(url)).text();
  send.close();
  await expect(waiting).rejects.toThrow(TypeError);
  expect(await (await send(url)).text()).toBe("all");
  expect(connections).toBe(3);
});
