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
