import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../../src/server/server.ts";

const turnMs = 50;
let server: MockServer;
afterEach(() => server.close());

/**
 * Opens `count` connections and returns how many the server closed within `ms`. Time is counted in turns of `turnMs`,
 * because on a busy machine both this process and the server are slower.
 */
async function closedWithin(
  ms: number,
  count: number,
  behave: (socket: Socket, index: number) => void,
): Promise<number> {
  let closed = 0;
  const sockets = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      await once(socket, "connect");
      behave(socket.resume(), index);
      return socket;
    }),
  );
  for (const socket of sockets) socket.once("close", () => (closed += 1));
  for (let left = ms; closed < count && left > 0; left -= turnMs) await sleep(turnMs);
  for (const socket of sockets) socket.destroy();
  return closed;
}

/** Sends one byte every 500 ms until the connection closes. */
function drip(socket: Socket, head: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write("x"), 500);
  socket.once("close", () => clearInterval(timer));
}

it("closes 1,000 silent or slow connections within 10 s", async () => {
  server = await startMockServer({ port: 0 });
  const isSilent = (index: number) => index % 4 === 0;
  const closed = await closedWithin(10_000, 1000, (socket, index) => {
    if (!isSilent(index)) drip(socket, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
  });
  expect(closed).toBe(1000);
  expect((await fetch(`${server.url}/_control/v1/health`)).status).toBe(200);
});

it("closes a connection with a slow body after 10 s", async () => {
  server = await startMockServer({ port: 0 });
  const head =
    "POST /_control/v1/seed HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n";
  expect(await closedWithin(13_000, 50, (socket) => drip(socket, head))).toBe(50);
});
