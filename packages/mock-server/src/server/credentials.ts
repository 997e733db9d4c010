// The credentials and ids that a server shows when it is ready: those of its first account.
import type { NetworkInterfaceInfo } from "node:os";
import type { Backend } from "@call-transfer/backend";
import { machineAddresses } from "../net/networks.ts";
import type { MockServer } from "./server.ts";

/** What `--json` and `--ready-file` contain. The banner shows the addresses, the API key and the control token. */
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
  readonly dataFile?: string;
  /** The seed of the ids, with which `--random-seed` repeats them; undefined if the state comes from an earlier start. */
  readonly randomSeed?: number;
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
  // Tokens expire at a whole second.
  const tokensExpireAt = new Date((Math.floor(clock.now() / 1000) + lifetimeSecs) * 1000).toISOString();
  const tokens: Record<string, string> = {};
  for (const member of state.members.values())
    if (member.accountId === accountId)
      tokens[member.role] ??= await keys.issueToken({ userId: member.userId, expiresInSecs: lifetimeSecs });
  const apiKey = apiKeyOf(backend, accountId);
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

/** A valid API key of an account; empty if there is no account. */
export function apiKeyOf({ state, keys }: Backend, accountId: string): string {
  if (accountId === "") return "";
  const owned = [...state.apiKeys.values()].find((key) => key.accountId === accountId && key.state === "valid");
  return owned?.key ?? keys.issueApiKey({ accountId }).key;
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

/** A record of each kind that a first request needs. Kinds that the account does not have are absent. */
export interface FirstIds {
  /** An enabled destination: the first `app`, otherwise the first of any kind. */
  readonly destinationId?: string;
  readonly groupId?: string;
  readonly memberId?: string;
  /** A published flow. */
  readonly flowId?: string;
  /** A number that calls can be placed from. */
  readonly fromNumber?: string;
}

/** Finds the records of an account that a first request needs. */
export function firstIds({ state }: Pick<Backend, "state">, accountId: string): FirstIds {
  const own = <Kind extends { readonly accountId: string }>(records: Iterable<Kind>): Kind[] =>
    [...records].filter((record) => record.accountId === accountId);
  const destinations = own(state.destinations.values()).filter(({ enabled }) => enabled);
  const number = own(state.numbers.values()).find(({ active, verified, canInitiateCalls, providerId = "" }) => {
    const provider = state.providers.get(providerId);
    return active && verified && canInitiateCalls && provider?.rejects !== true && provider?.active !== false;
  });
  const found: Readonly<Record<keyof FirstIds, string | undefined>> = {
    destinationId: (destinations.find(({ kind }) => kind === "app") ?? destinations[0])?.id,
    groupId: own(state.groups.values())[0]?.id,
    memberId: own(state.members.values())[0]?.id,
    flowId: own(state.flows.values()).find(({ published }) => published)?.id,
    fromNumber: number?.number,
  };
  return Object.fromEntries(Object.entries(found).filter(([, id]) => id !== undefined));
}
