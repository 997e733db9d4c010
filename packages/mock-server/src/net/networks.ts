import { BlockList, isIP } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

/** The addresses of this machine; none where an operating-system sandbox does not tell. */
export function machineAddresses(): readonly NetworkInterfaceInfo[] {
  try {
    return Object.values(networkInterfaces()).flatMap((list = []) => list);
  } catch {
    return [];
  }
}

/** Creates a check whether an address is in one of some networks, such as `10.0.0.0/8` and `fc00::/7`. */
export function isInNetworks(...networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [start = "", prefix] = network.split("/");
    list.addSubnet(start, Number(prefix), familyOf(start));
  }
  return (address) => list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
