import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Where a server listens, as `server.address()` says it. */
export interface OwnSocket {
  readonly address: string;
  readonly port: number;
}

/**
 * Whether a connection to an address and a port would reach a listening socket. One that is bound to every address is
 * reached by each that the machine has. `machine` lists those, and is injectable for tests.
 */
export function isOwnSocket(
  own: OwnSocket | null,
  address: string,
  port: number,
  machine: () => readonly string[] = machineAddresses,
): boolean {
  if (own === null || own.port !== port) return false;
  const bound = own.address.replace(/^::ffff:(?=\d+\.)/i, "");
  // An IPv6 socket takes IPv4 connections, too.
  const reached = new BlockList();
  const isEvery = bound === "0.0.0.0" || bound === "::";
  if (isEvery) reached.addSubnet("127.0.0.0", 8, "ipv4");
  for (const each of isEvery ? machine() : [bound]) if (bound !== "0.0.0.0" || isIP(each) === 4) add(reached, each);
  const family = isIP(withoutZone(address));
  return family !== 0 && reached.check(withoutZone(address), family === 6 ? "ipv6" : "ipv4");
}

function add(list: BlockList, address: string): void {
  const family = isIP(withoutZone(address));
  if (family !== 0) list.addAddress(withoutZone(address), family === 6 ? "ipv6" : "ipv4");
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, "");
}

function machineAddresses(): readonly string[] {
  const loopback = ["127.0.0.1", "::1"];
  try {
    const found = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
    return [...loopback, ...found];
  } catch {
    // Some sandboxes of operating systems do not let a process look.
    return loopback;
  }
}
