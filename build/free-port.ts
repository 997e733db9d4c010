// Finds a port for a server whose port must be known before it listens. Others listen on port 0 and say which port that is.

import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that Linux gives to outgoing connections and to servers which ask for any. One of those could be
 * taken before the server of the test listens, or while it is down for a moment.
 */
const lowestPort = 10_000;
const highestPort = 32_000;

/** The same ports of UDP, which nothing uses here. The system gives each to one process, and frees it when that process ends. */
const reservations = new Set<Socket>();

/** A TCP port of 127.0.0.1 on which no program listens. No other process gets it from this function while this one runs. */
export async function freePort(): Promise<number> {
  const port = randomInt(lowestPort, highestPort);
  const reservation = createSocket("udp4").unref();
  const isReserved = await new Promise<boolean>((resolve) => {
    reservation.once("error", () => resolve(false)).bind(port, "127.0.0.1", () => resolve(true));
  });
  if (isReserved && (await isFree(port))) {
    reservations.add(reservation);
    return port;
  }
  reservation.close();
  return freePort();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const canListen = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (canListen) await once(server.close(), "close");
  return canListen;
}
