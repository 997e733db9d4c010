import type { NetworkInterfaceInfo } from "node:os";
import { machineAddresses } from "../../net/networks.ts";
import type { MockServer } from "../../server/server.ts";
import type { Variables } from "../files/dotenv.ts";
import { variables } from "../options/options.ts";
import { roles } from "../values/find-record.ts";
import { type FirstIds, firstIds } from "./first-ids.ts";

/** What `--json` and `--ready-file` contain; the banner shows the same. */
export interface ReadyInfo {
  /** The server's process id. When that process is gone, the file is out of date. */
  readonly pid: number;
  readonly url: string;
  readonly apiKey: string;
  readonly accountId: string;
  /** One access token for each role in the account. */
  readonly tokens: Readonly<Record<string, string>>;
  /** When the tokens expire, on the sandbox's clock. */
  readonly tokensExpireAt: string;
  /** The signing secret of the account's first `app` destination. */
  readonly signingSecret?: string;
  readonly controlToken?: string;
  /** The file that keeps the state, with its folder; undefined if the state is in memory only. */
  readonly data?: string;
  /** The seed of the ids, with which `--prng` repeats them; undefined if the state comes from an earlier start. */
  readonly prng?: number;
  /** Addresses for other machines, if they can reach the server. */
  readonly lanUrls?: readonly string[];
  /** Ids and a number of the account, for a first request. */
  readonly ids: FirstIds;
}

/** Issues the credentials of the first account that a server shows when it is ready. */
export async function issueCredentials(
  { url, backend, controlToken }: MockServer,
  lifetimeSecs: number,
): Promise<ReadyInfo> {
  const { state, keys, clock } = backend;
  const accountId = state.accounts.keys().next().value ?? "";
  const owned = [...state.apiKeys.values()].find((key) => key.accountId === accountId && key.state === "valid");
  // Tokens expire at a whole second.
  const tokensExpireAt = new Date((Math.floor(clock.now() / 1000) + lifetimeSecs) * 1000).toISOString();
  const tokens: Record<string, string> = {};
  for (const member of state.members.values())
    if (member.accountId === accountId)
      tokens[member.role] ??= await keys.issueToken({ userId: member.userId, expiresInSecs: lifetimeSecs });
  const apiKey = owned?.key ?? (accountId === "" ? "" : keys.issueApiKey({ accountId }).key);
  const lanUrls = urlsForOthers(url);
  const app = [...state.destinations.values()].find((one) => one.accountId === accountId && one.kind === "app");
  return {
    pid: process.pid,
    url: localUrl(url),
    apiKey,
    accountId,
    tokens,
    tokensExpireAt,
    ...(app?.signingSecret !== undefined && { signingSecret: app.signingSecret }),
    ...(controlToken !== undefined && { controlToken }),
    ...(lanUrls.length > 0 && { lanUrls }),
    ids: firstIds(backend, accountId),
  };
}

/** The same as environment variables, without the empty ones. A role without a user is empty, so that its older token goes. */
export function variablesOf({ url, apiKey, accountId, tokens, signingSecret, controlToken }: ReadyInfo): Variables {
  const tokenOf = roles.map((role) => [`${variables.token}${role.toUpperCase()}`, tokens[role] ?? ""] as const);
  const values = [
    [variables.url, url],
    [variables.apiKey, apiKey],
    [variables.accountId, accountId],
    [variables.signingSecret, signingSecret],
    [variables.controlToken, controlToken],
  ] as const;
  return Object.fromEntries([...values.flatMap(([name, value]) => (value ? [[name, value]] : [])), ...tokenOf]);
}

/** The URL for clients on this machine: not every client connects to 0.0.0.0 or [::]. */
export function localUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/** The URLs at which other machines of the network reach a server that is bound to all addresses; none otherwise. */
export function urlsForOthers(url: string, addresses: () => readonly NetworkAddress[] = machineAddresses): string[] {
  if (localUrl(url) === url) return [];
  const { protocol, port } = new URL(url);
  return addresses()
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => `${protocol}//${address}:${port}`);
}

type NetworkAddress = Pick<NetworkInterfaceInfo, "address" | "family" | "internal">;
