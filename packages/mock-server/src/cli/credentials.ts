import type { MockServer } from "../server/server.ts";
import type { Variables } from "./dotenv.ts";
import { variables } from "./options.ts";
import { program } from "./program.ts";

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
  };
}

/** The same as environment variables, without the empty ones. */
export function variablesOf({ url, apiKey, accountId, tokens, signingSecret, controlToken }: ReadyInfo): Variables {
  const roles = Object.entries(tokens).map(
    ([role, token]) => [`${variables.token}${role.toUpperCase()}`, token] as const,
  );
  const values = [
    [variables.url, url],
    [variables.apiKey, apiKey],
    [variables.accountId, accountId],
    ...roles,
    [variables.signingSecret, signingSecret],
    [variables.controlToken, controlToken],
  ] as const;
  return Object.fromEntries(values.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** The text that a server prints when it is ready. Its commands can be pasted unchanged. */
export function banner(ready: ReadyInfo): string {
  const { url, apiKey, accountId, tokens, tokensExpireAt, signingSecret, controlToken } = ready;
  const where = url === "http://127.0.0.1:4010" ? "" : ` --url ${url}`;
  const permission = controlToken === undefined ? "" : ` --token ${controlToken}`;
  const roles = Object.entries(tokens);
  const credentials = [
    `API key (for servers):  ${apiKey}`,
    `Account:                ${accountId}`,
    ...(signingSecret === undefined ? [] : [`Secret of webhooks:     ${signingSecret}`]),
    ...(roles.length === 0
      ? []
      : [
          "",
          "Access tokens (for browsers; send the account as X-Account-Id),",
          `valid until ${tokensExpireAt} on the server's clock:`,
          ...roles.map(([role, token]) => `  ${role.padEnd(6)}  ${token}`),
          `New token:  ${program} token ${roles[0]?.[0]}${where}${permission}`,
        ]),
  ];
  return [
    `Mock server listening on ${url}`,
    "",
    ...(apiKey === "" ? ["No credentials: the data has no account. Add one to the file of --seed."] : credentials),
    ...(controlToken === undefined ? [] : ["", `Control token:          ${controlToken}`]),
    "",
    ...(apiKey === "" ? [] : [`Try:   curl -H "Authorization: Bearer ${apiKey}" ${url}/api/v1/roles`]),
    `Help:  ${program} --help`,
    "Stop:  Ctrl-C",
  ].join("\n");
}

/** The URL for clients on this machine: not every client connects to 0.0.0.0 or [::]. */
export function localUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
