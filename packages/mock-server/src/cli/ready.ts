// What a server prints when it is ready: address, inspector, key and a command to try.
import type { Role } from "@call-transfer/spec";
import { joinWords, paintFor } from "../log/text.ts";
import type { ReadyInfo } from "../server/credentials.ts";
import type { Variables } from "./files.ts";
import { variables } from "./options.ts";
import { type Hint, hintFor, program } from "./output.ts";

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

/** The number that the banner's call is placed to. It is no contact, so it can be called at any hour. */
const recipient = "+15550200001";

/** The text that a server prints when it is ready. Its command can be pasted unchanged. `width` is that of a terminal. */
export function banner(ready: ReadyInfo, colour: boolean, width?: number): string {
  const paint = paintFor(colour);
  const dim = (text: string): string => paint("dim", text);
  const { url, lanUrls = [], apiKey, controlToken } = ready;
  const row = (label: string, value: string | undefined): string[] =>
    value === undefined ? [] : [bannerRow(label, value, dim)];
  const { flowId, fromNumber } = ready.ids;
  const key = `-H "Authorization: Bearer ${apiKey}"`;
  const call = JSON.stringify({ flowId, fromNumber, toNumber: recipient });
  const [label, command] =
    flowId === undefined || fromNumber === undefined
      ? ["Read the roles", `curl ${url}/api/v1/roles ${key}`]
      : ["Place a call", `curl ${url}/api/v1/calls ${key} -H "Content-Type: application/json" -d '${call}'`];
  return [
    `${paint("bold", "Mock server listening on")} ${paint("green", url)}`,
    ...lanUrls.flatMap((one) => row("Other machines", one)),
    ...row("Inspector", `${url}/_inspector`),
    ...row("Control token", controlToken),
    ...(apiKey === ""
      ? ["No credentials: the data has no account. Add one to the file of --seed."]
      : [...row("API key", apiKey), "", commandRow(label, command, width, dim)]),
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

/** Paints a label. */
type Dim = (text: string) => string;

/** A label with its value. */
function bannerRow(label: string, value: string, dim: Dim): string {
  return `${dim(label.padEnd(labelWidth))} ${value}`;
}

/** A label with a command to paste. Below it, and broken at its options as a shell allows, if the line is too long. */
function commandRow(label: string, command: string, width: number | undefined, dim: Dim): string {
  if (width === undefined || labelWidth + 1 + command.length <= width) return bannerRow(label, command, dim);
  return [dim(label), ...brokenCommand(command, width)].join("\n");
}

/** The lines of a command. The shells of Windows would run each on its own. */
function brokenCommand(command: string, width: number): string[] {
  if (command.length + 2 <= width || process.platform === "win32") return [`  ${command}`];
  const [first = "", ...options] = command.split(/ (?=-[Hd] )/);
  // A line break between the fields of JSON changes nothing.
  const lines = options.map((option) => joinWords(option.split(/(?<=,)(?=")/), width - 8).join("\n       "));
  return [`  ${first}`, ...lines.map((line) => `    ${line}`)].join(" \\\n").split("\n");
}
