// What a server prints when it is ready: an address, credentials and commands to try.
import type { NetworkInterfaceInfo } from "node:os";
import type { Backend } from "@call-transfer/backend";
import type { Role } from "@call-transfer/spec";
import { paintFor } from "../log/colour.ts";
import { joinWords } from "../log/wrap.ts";
import { machineAddresses } from "../net/networks.ts";
import type { MockServer } from "../server/server.ts";
import type { Variables } from "./files.ts";
import { variables } from "./options.ts";
import { asPrinted, type Hint, hintFor, program } from "./output.ts";

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

const roles = ["owner", "admin", "member", "agent"] as const satisfies readonly Role[];

/** The same as environment variables, without the empty ones. A role without a user is empty, so that its older token goes. */
export function variablesOf({ url, apiKey, accountId, tokens, signingSecret, controlToken }: ReadyInfo): Variables {
  const tokenOf = roles.map((role) => [`${variables.accessToken}${role.toUpperCase()}`, tokens[role] ?? ""] as const);
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

/** The number that the banner's call is placed to. It is no contact, so it can be called at any hour. */
const recipient = "+15550200001";

/** The text that a server prints when it is ready. Its commands can be pasted unchanged. `width` is that of a terminal. */
export function banner(ready: ReadyInfo, colour: boolean, width?: number): string {
  const paint = paintFor(colour);
  const dim = (text: string): string => paint("dim", text);
  const { url, lanUrls = [], apiKey, signingSecret, controlToken, dataFile, randomSeed } = ready;
  const row = (label: string, value: string | undefined, note = ""): string[] =>
    value === undefined ? [] : [bannerRow(label, value, note, width, dim)];
  const { flowId, fromNumber } = ready.ids;
  const key = `-H "Authorization: Bearer ${apiKey}"`;
  const call = JSON.stringify({ flowId, fromNumber, toNumber: recipient });
  const [label, command] =
    flowId === undefined || fromNumber === undefined
      ? ["Read the roles", `curl ${url}/api/v1/roles ${key}`]
      : ["Place a call", `curl ${url}/api/v1/calls ${key} -H "Content-Type: application/json" -d '${call}'`];
  const token = asPrinted(hintOf(ready)("credentials token"));
  return [
    `${paint("bold", "Mock server listening on")} ${paint("green", url)}`,
    ...lanUrls.flatMap((one) => row("Other machines", one)),
    ...row("Inspector", `${url}/_inspector`, "open it in a browser"),
    ...row("Data", dataFile, "keeps the state for the next start"),
    ...row(
      "Ids",
      randomSeed === undefined ? undefined : `--random-seed ${randomSeed}`,
      "repeats the ids of this start",
    ),
    ...(apiKey === ""
      ? ["No credentials: the data has no account. Add one to the file of --seed."]
      : [
          ...row("API key", apiKey, "for servers"),
          ...row("Signing secret", signingSecret, "of webhooks"),
          ...row("Control token", controlToken, "for the control plane and commands"),
          "",
          commandRow(label, command, width, dim),
          ...(Object.keys(ready.tokens).length === 0 ? [] : [commandRow("Access token", token, width, dim)]),
        ]),
    dim(`Help: ${program} --help · Stop: Ctrl-C`),
  ].join("\n");
}

/** The same for Prism. */
export function prismBanner({ url, apiKey }: Pick<ReadyInfo, "url" | "apiKey">, width: number | undefined): string {
  return [
    `Prism listening on ${url}`,
    "",
    "Prism is stateless: every response is an example from the OpenAPI document.",
    "Any bearer token works. The header Prefer: code=404 selects another response.",
    "",
    commandRow("Try", `curl ${url}/api/v1/roles -H "Authorization: Bearer ${apiKey}"`, width, String),
    `Help: ${program} --help · Stop: Ctrl-C`,
  ].join("\n");
}

/** Writes commands for a server that has started. */
export const hintOf = ({ url, controlToken }: Pick<ReadyInfo, "url" | "controlToken">): Hint =>
  hintFor({ url: url === "http://127.0.0.1:4010" ? undefined : url, controlToken });

/** Columns for labels in the texts that servers print when they are ready. */
const labelWidth = 15;

/** Paints a label or a note. */
type Dim = (text: string) => string;

/** A label with its value. The note is left out if the line is too long. */
function bannerRow(label: string, value: string, note: string, width: number | undefined, dim: Dim): string {
  const hasRoom = width === undefined || labelWidth + 1 + value.length + 2 + note.length <= width;
  return `${dim(label.padEnd(labelWidth))} ${value}${note !== "" && hasRoom ? `  ${dim(note)}` : ""}`;
}

/** A label with a command to paste. Below it, and broken at its options as a shell allows, if the line is too long. */
function commandRow(label: string, command: string, width: number | undefined, dim: Dim): string {
  if (width === undefined || labelWidth + 1 + command.length <= width) return bannerRow(label, command, "", width, dim);
  return [dim(label), ...brokenCommand(command, width)].join("\n");
}

/** The lines of a command. The shells of Windows would run each on its own. */
function brokenCommand(command: string, width: number): string[] {
  if (command.length + 2 <= width || process.platform === "win32") return [`  ${command}`];
  const [first = "", ...options] = command.split(/ (?=(?:-H|-d|--url|--control-token) )/);
  // A line break between the fields of JSON changes nothing.
  const lines = options.map((option) => joinWords(option.split(/(?<=,)(?=")/), width - 8).join("\n       "));
  return [`  ${first}`, ...lines.map((line) => `    ${line}`)].join(" \\\n").split("\n");
}
