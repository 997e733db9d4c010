// What a server prints when it is ready: an address, credentials and commands to try.
import type { Role } from "@call-transfer/spec";
import { paintFor } from "../log/colour.ts";
import { joinWords } from "../log/wrap.ts";
import type { ReadyInfo } from "../server/credentials.ts";
import type { Variables } from "./files.ts";
import { variables } from "./options.ts";
import { asPrinted, type Hint, hintFor, program } from "./output.ts";

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

/**
 * The text that a server prints when it is ready. Its commands can be pasted unchanged. `width` is that of a terminal, and
 * `readOnly` tells that the data file stays as it is.
 */
export function banner(ready: ReadyInfo & { readonly readOnly?: boolean }, colour: boolean, width?: number): string {
  const paint = paintFor(colour);
  const dim = (text: string): string => paint("dim", text);
  const { url, lanUrls = [], apiKey, signingSecret, controlToken, dataFile, readOnly, randomSeed } = ready;
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
    ...row("Data", dataFile, readOnly ? "is only read" : "keeps the state for the next start"),
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
