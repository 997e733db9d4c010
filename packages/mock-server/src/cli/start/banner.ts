import { paintFor } from "../../log/colour.ts";
import { asPrinted, type Hint, hintFor, program } from "../terminal/program.ts";
import { bannerRow, commandRow } from "./banner-rows.ts";
import type { ReadyInfo } from "./credentials.ts";

/** The number that the banner's call is placed to. It is no contact, so it can be called at any hour. */
const recipient = "+15550200001";

/**
 * The text that a server prints when it is ready. Its commands can be pasted unchanged. `width` is that of a terminal, in
 * which it shows a command in place of the long access tokens.
 */
export function banner(ready: ReadyInfo, colour: boolean, width?: number): string {
  const paint = paintFor(colour);
  const dim = (text: string): string => paint("dim", text);
  const { url, lanUrls = [], apiKey } = ready;
  const row: Row = (label, value, note = "") => bannerRow(label, value, note, width, dim);
  const command: Row = (label, value) => commandRow(label, value, width, dim);
  const rows =
    apiKey === ""
      ? []
      : [
          ...credentialRows(ready, row),
          ...(width === undefined ? tokenRows(ready, row) : []),
          ...idRows(ready, row),
          "",
          ...commandRows(ready, command),
          ...(width === undefined ? [] : tokenCommand(ready, command)),
        ];
  return [
    `${paint("bold", "Mock server listening on")} ${paint("green", url)}`,
    ...lanUrls.map((one) => row("Other machines", one)),
    row("Inspector", `${url}/_inspector`, "open it in a browser"),
    ...(ready.data === undefined ? [] : [row("Data", ready.data, "keeps the state for the next start")]),
    ...(ready.prng === undefined ? [] : [row("Ids", `--prng ${ready.prng}`, "repeats the ids of this start")]),
    ...(apiKey === "" ? ["No credentials: the data has no account. Add one to the file of --seed."] : rows),
    paint("dim", `Help: ${program} --help · Stop: Ctrl-C`),
  ].join("\n");
}

type Row = (label: string, value: string, note?: string) => string;

function credentialRows({ apiKey, accountId, signingSecret, controlToken }: ReadyInfo, row: Row): string[] {
  return [
    row("API key", apiKey, "for servers"),
    row("Account", accountId),
    ...(signingSecret === undefined ? [] : [row("Signing secret", signingSecret, "of webhooks")]),
    ...(controlToken === undefined ? [] : [row("Control token", controlToken, "for the control plane and commands")]),
  ];
}

function tokenRows({ tokens, tokensExpireAt }: ReadyInfo, row: Row): string[] {
  const roles = Object.entries(tokens);
  if (roles.length === 0) return [];
  return [
    row("Access tokens", "for browsers, with the account as X-Account-Id", `until ${tokensExpireAt}`),
    ...roles.map(([role, token]) => row(`  ${role}`, token)),
  ];
}

/** A command that prints a token for the first role. */
function tokenCommand(ready: ReadyInfo, row: Row): string[] {
  const [role] = Object.keys(ready.tokens);
  return role === undefined ? [] : [row("Access token", asPrinted(hintOf(ready)(`token ${role}`)))];
}

function idRows({ ids: { destinationId, groupId, memberId, flowId, fromNumber } }: ReadyInfo, row: Row): string[] {
  const rows = { Destination: destinationId, Group: groupId, Member: memberId, Flow: flowId, Number: fromNumber };
  return Object.entries(rows).flatMap(([label, id]) => (id === undefined ? [] : [row(label, id)]));
}

/** Three commands to paste. Those that the data has no records for are replaced by one that only reads. */
function commandRows(ready: ReadyInfo, row: Row): string[] {
  const { url, apiKey, controlToken, ids } = ready;
  const { flowId, fromNumber, groupId, destinationId } = ids;
  const key = `-H "Authorization: Bearer ${apiKey}"`;
  const control = controlToken === undefined ? "" : ` -H "Authorization: Bearer ${controlToken}"`;
  const json = '-H "Content-Type: application/json"';
  const callee = groupId === undefined ? { destinationId } : { groupId };
  const call = JSON.stringify({ flowId, fromNumber, toNumber: recipient });
  return [
    flowId === undefined || fromNumber === undefined
      ? row("Read the roles", `curl ${url}/api/v1/roles ${key}`)
      : row("Place a call", `curl ${url}/api/v1/calls ${key} ${json} -d '${call}'`),
    ...(groupId === undefined && destinationId === undefined
      ? []
      : [row("Ring a transfer", `curl ${url}/_control/v1/transfers${control} ${json} -d '${JSON.stringify(callee)}'`)]),
    row("Move the clock", asPrinted(hintOf(ready)("clock advance 1m"))),
  ];
}

/** Writes commands for a server that has started. */
export const hintOf = ({ url, controlToken }: Pick<ReadyInfo, "url" | "controlToken">): Hint =>
  hintFor({ url: url === "http://127.0.0.1:4010" ? undefined : url, token: controlToken });
