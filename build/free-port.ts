// Finds a port for a server that a test or a measurement starts as a process of its own.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that Linux gives to outgoing connections and to servers which ask for any. One of those could be
 * taken before the server of the test listens, or while it is down for a moment.
 */
const lowestPort = 10_000;
const highestPort = 32_000;

/** A port on which no program listens now. */
export async function freePort(): Promise<number> {
  const port = randomInt(lowestPort, highestPort);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return freePort();
  server.close();
  await once(server, "close");
  return port;
}
