import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { WebhookAttack } from "@call-transfer/backend/unstable";
import { isInNetworks } from "../net/networks.ts";
import { bracketed, unbracketed } from "../net/urls.ts";
import { isRefusedAddress, type Resolve } from "./delivery-fetch.ts";

/** What limits the attacks of a server. */
export interface AttackRules {
  /** The URL that gets all webhooks, in place of the destinations' own. */
  readonly forwardWebhooks?: string | undefined;
  /** Whether an address is the server's own. */
  isOwn(address: string, port: number): boolean;
  readonly resolve?: Resolve;
}

/** How long one answer may take, and after which time no further check begins, in milliseconds. */
const limits = { timeoutMs: 10_000, maxDurationMs: 40_000 };

/**
 * Creates what attacks receivers for the control plane: on this machine or in a private network only, because
 * every user of the control plane can set any address. It connects to the address that was checked.
 */
export function createAttack({ forwardWebhooks, isOwn, resolve = resolveAll }: AttackRules): WebhookAttack {
  return async ({ url: own, secret, previousSecret }) => {
    const url = forwardWebhooks ?? own;
    const { hostname, port, protocol } = new URL(url);
    const name = unbracketed(hostname);
    const addresses = isIP(name) ? [{ address: name }] : await resolve(name);
    const [address] = addresses.map((found) => found.address);
    if (address === undefined) throw new Error(`Host ${name} does not resolve to an address.`);
    if (isRefusedAddress(address) || !isPrivate(address))
      throw new Error(
        `${name} (${address}) is not on this machine or in a private network. If the receiver is yours, run the command attack with --allow-remote.`,
      );
    const portNumber = Number(port) || (protocol === "https:" ? 443 : 80);
    if (isOwn(address, portNumber))
      throw new Error(`${bracketed(address)}:${portNumber} is the mock server itself. Set config.url to your app.`);
    // Loaded on demand, since most servers never attack.
    const { attackReceiver } = await import("../attack/attack.ts");
    return attackReceiver({
      ...{ url, address, secret, ...limits, allowRemote: true },
      ...(previousSecret !== undefined && { previousSecret }),
    });
  };
}

const resolveAll: Resolve = (hostname) => lookup(hostname, { all: true });

const isPrivate = isInNetworks("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7");
