import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { followEvents } from "../../src/control-client.ts";

const pauses: number[] = [];
const pause = async (ms: number): Promise<void> => void pauses.push(ms);

const ending = new AbortController();
const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Starts a server that ends each stream after the given events. */
async function serving(...streams: readonly (readonly string[])[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const events = streams[requests.length] ?? [];
    requests.push(request);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = events.map((id) => `id: ${id}\ndata: ${JSON.stringify({ eventId: id, at: "", type: "x" })}\n\n`);
    // In two parts that split an event.
    const all = `: connected\n\n${text.join("")}`;
    response.write(all.slice(0, -10));
    response.end(all.slice(-10));
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function first(count: number, url: string, after?: string) {
  const found: string[] = [];
  const source = { url, headers: { "X-Sandbox": "mine" }, after, signal: ending.signal, warn: () => {}, pause };
  for await (const { eventId } of followEvents(source)) {
    found.push(eventId);
    if (found.length === count) break;
  }
  return found;
}

it("continues after the last event when the connection ends", async () => {
  const { requests, url } = await serving(["a-1", "a-2"], [], ["a-3"]);
  expect(await first(3, url, "a-0")).toEqual(["a-1", "a-2", "a-3"]);
  expect(requests.map(({ headers }) => headers["last-event-id"])).toEqual(["a-0", "a-2", "a-2"]);
  expect(requests.map(({ headers }) => headers["x-sandbox"])).toEqual(["mine", "mine", "mine"]);
});

it("fails at once when no server is there, and with the message of one that refuses", async () => {
  await expect(first(1, "http://127.0.0.1:1")).rejects.toThrow("fetch failed");
  const server = createServer((_, response) => {
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { code: "not_found", message: 'There is no sandbox "mine".' } }));
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(first(1, url)).rejects.toThrow('There is no sandbox "mine".');
});

it.each([
  ["a page of another server", "text/html", "<p>Hello</p>"],
  ["data that is no JSON", "text/event-stream", "data: {\n\n"],
  ["data that is no event", "text/event-stream", "data: null\n\n"],
  ["an event without end", "text/event-stream", `data: ${"x".repeat(2_000_000)}`],
])("fails at %s, and does not ask again", async (_, type, text) => {
  let requests = 0;
  const server = createServer((__, response) => {
    requests += 1;
    response.writeHead(200, { "content-type": type });
    response.write(text);
  });
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(first(1, url)).rejects.toThrow("The server is not a mock server. Check --url.");
  expect(requests).toBe(1);
});

it("pauses longer each time a server ends the connection without an event", async () => {
  const streams = ["", "", "", "a-1", "", "a-2"];
  // No real connection, which could break off on its own and add a pause.
  vi.stubGlobal("fetch", async () => {
    const id = streams.shift();
    const text = id ? `data: ${JSON.stringify({ eventId: id, at: "", type: "x" })}\n\n` : ": connected\n\n";
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  });
  pauses.length = 0;
  await first(2, "http://127.0.0.1:4010");
  vi.unstubAllGlobals();
  expect(pauses).toEqual([0, 250, 500, 0, 250]);
});
