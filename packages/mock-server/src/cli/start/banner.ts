import { paintFor } from "../../log/colour.ts";
import { type Hint, hintFor, program } from "../terminal/program.ts";
import type { ReadyInfo } from "./credentials.ts";

/** The number that the banner's call is placed to. It is no contact, so it can be called at any hour. */
const recipient = "+15550200001";
const labelWidth = 15;

/** The text that a server prints when it is ready. Its commands can be pasted unchanged. */
export function banner(ready: ReadyInfo, colour: boolean): string {
  const paint = paintFor(colour);
  const { url, lanUrls = [], apiKey } = ready;
  const row = (label: string, value: string, note = "") =>
    `${paint("dim", label.padEnd(labelWidth))} ${value}${note && `  ${paint("dim", note)}`}`;
  const rows =
    apiKey === "" ? [] : [...credentialRows(ready, row), ...idRows(ready, row), "", ...commandRows(ready, row)];
  const others = lanUrls.length === 0 ? "" : paint("dim", ` (other machines: ${lanUrls.join(", ")})`);
  return [
    `${paint("bold", "Mock server listening on")} ${paint("green", url)}${others}`,
    row("Inspector", `${url}/_inspector`, "open it in a browser"),
    ...(ready.data === undefined ? [] : [row("Data", ready.data, "keeps the state for the next start")]),
    ...(ready.prng === undefined ? [] : [row("Ids", `--prng ${ready.prng}`, "repeats the ids of this start")]),
    ...(apiKey === "" ? ["No credentials: the data has no account. Add one to the file of --seed."] : rows),
    paint("dim", `All options: ${program} --help · Stop: Ctrl-C`),
  ].join("\n");
}

type Row = (label: string, value: string, note?: string) => string;

function credentialRows(
  { apiKey, accountId, signingSecret, controlToken, tokens, tokensExpireAt }: ReadyInfo,
  row: Row,
) {
  const roles = Object.entries(tokens);
  return [
    row("API key", apiKey, "for servers"),
    row("Account", accountId),
    ...(signingSecret === undefined ? [] : [row("Signing secret", signingSecret, "of webhooks")]),
    ...(controlToken === undefined ? [] : [row("Control token", controlToken, "for the control plane and commands")]),
    ...(roles.length === 0
      ? []
      : [row("Access tokens", "for browsers, with the account as X-Account-Id", `until ${tokensExpireAt}`)]),
    ...roles.map(([role, token]) => row(`  ${role}`, token)),
  ];
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
    row("Move the clock", hintOf(ready)("clock advance 1m")),
  ];
}

/** Writes commands for a server that has started. */
export const hintOf = ({ url, controlToken }: Pick<ReadyInfo, "url" | "controlToken">): Hint =>
  hintFor({ url: url === "http://127.0.0.1:4010" ? undefined : url, token: controlToken });
