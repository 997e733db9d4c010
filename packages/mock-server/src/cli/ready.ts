// What a server prints when it is ready: address, inspector, key and a command to try.
import type { Role } from "@call-transfer/spec";
import { paintFor } from "../log/text.ts";
import type { ReadyInfo } from "../server/credentials.ts";
import type { Variables } from "./files.ts";
import { variables } from "./options.ts";
import { program } from "./output.ts";

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

/** The text that a server prints when it is ready. Its command can be pasted unchanged. */
export function banner(ready: ReadyInfo, colour: boolean): string {
  const paint = paintFor(colour);
  const dim = (text: string): string => paint("dim", text);
  const { url, lanUrls = [], apiKey, controlToken } = ready;
  const row = (label: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${dim(label.padEnd(labelWidth))} ${value}`];
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
      : [...row("API key", apiKey), "", dim(label), `  ${command}`]),
    dim(`Help: ${program} --help · Stop: Ctrl-C`),
  ].join("\n");
}

/** The same for Prism. */
export function prismBanner({ url, apiKey }: Pick<ReadyInfo, "url" | "apiKey">): string {
  return [
    `Prism listening on ${url}`,
    "",
    "Prism is stateless: every response is an example from the OpenAPI document.",
    "Any bearer token works. The header Prefer: code=404 selects another response.",
    "",
    `Try             curl ${url}/api/v1/roles -H "Authorization: Bearer ${apiKey}"`,
    `Help: ${program} --help · Stop: Ctrl-C`,
  ].join("\n");
}

/** Columns for labels in the texts that servers print when they are ready. */
const labelWidth = 15;
