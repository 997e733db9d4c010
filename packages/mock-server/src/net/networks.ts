import { BlockList, isIP, type LookupFunction } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** The addresses of this machine; none where an operating-system sandbox does not tell. */
export function machineAddresses(): readonly NetworkInterfaceInfo[] {
  try {
    return Object.values(networkInterfaces()).flatMap((list = []) => list);
  } catch {
    return [];
  }
}

/**
 * Creates a check whether an address is in one of some networks, such as `10.0.0.0/8` and `fc00::/7`. The first check builds the
 * list: to recognize an IPv6 address for the first time takes Node a twentieth of the server's start.
 */
export function isInNetworks(...networks: readonly string[]): (address: string) => boolean {
  let list: BlockList | undefined;
  return (address) => {
    list ??= listOf(networks);
    return list.check(address, familyOf(address));
  };
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [start = "", prefix] = network.split("/");
    list.addSubnet(start, Number(prefix), familyOf(start));
  }
  return list;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** A look-up that finds the same addresses for every name: the Host header and the certificate check keep the name. */
export function lookupOf(first: string, ...others: readonly string[]): LookupFunction {
  return (_hostname, { all }, done) => {
    if (all)
      done(
        null,
        [first, ...others].map((address) => ({ address, family: isIP(address) })),
      );
    else done(null, first, isIP(first));
  };
}

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
