import { BlockList, isIP } from "node:net";
import { machineAddresses } from "../net/networks.ts";

/** The listening socket, as returned by `server.address()`. */
export interface OwnSocket {
  readonly address: string;
  readonly port: number;
}

/**
 * Whether a connection to an address and a port would reach the server's own socket. A socket bound to all addresses is
 * reached by each address of the machine; tests replace that list through `machine`.
 */
export function isOwnSocket(
  own: OwnSocket | null,
  address: string,
  port: number,
  machine: () => readonly string[] = ownAddresses,
): boolean {
  if (own === null || own.port !== port) return false;
  const bound = own.address.replace(/^::ffff:(?=\d+\.)/i, "");
  // An IPv6 socket also accepts IPv4 connections.
  const reached = new BlockList();
  const isWildcard = bound === "0.0.0.0" || bound === "::";
  if (isWildcard) reached.addSubnet("127.0.0.0", 8, "ipv4");
  for (const each of isWildcard ? machine() : [bound]) if (bound !== "0.0.0.0" || isIP(each) === 4) add(reached, each);
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

const ownAddresses = () => ["127.0.0.1", "::1", ...machineAddresses().map(({ address }) => address)];
