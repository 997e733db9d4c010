import type { MockServer } from "../server/server.ts";
import type { Variables } from "./dotenv.ts";
import { program } from "./program.ts";

/** What `--json` and `--ready-file` say; the banner shows the same. */
export interface Ready {
  /** The server's process: while it is gone, the rest says nothing any more. */
  readonly pid: number;
  readonly url: string;
  readonly apiKey: string;
  readonly accountId: string;
  /** An access token for each role that the account has. */
  readonly tokens: Readonly<Record<string, string>>;
  /** When the tokens expire, on the sandbox's clock. */
  readonly tokensExpireAt: string;
  /** What signs the offers to the account's first `app` destination. */
  readonly signingSecret?: string;
  readonly controlToken?: string;
}

/** Credentials of the first account, which a server shows when it is ready; the tokens live for so many seconds. */
export async function issueCredentials(
  { url, backend, controlToken }: MockServer,
  lifetimeSecs: number,
): Promise<Ready> {
  const { state, keys, clock } = backend;
  const accountId = state.accounts.keys().next().value ?? "";
  const owned = [...state.apiKeys.values()].find((key) => key.accountId === accountId && key.state === "valid");
  // Tokens count in whole seconds.
  const tokensExpireAt = new Date((Math.floor(clock.now() / 1000) + lifetimeSecs) * 1000).toISOString();
  const tokens: Record<string, string> = {};
  for (const member of state.members.values())
    if (member.accountId === accountId)
      tokens[member.role] ??= await keys.issueToken({ userId: member.userId, expiresInSecs: lifetimeSecs });
  const apiKey = owned?.key ?? (accountId === "" ? "" : keys.issueApiKey({ accountId }).key);
  const app = [...state.destinations.values()].find((one) => one.accountId === accountId && one.kind === "app");
  return {
    pid: process.pid,
    url: pasteable(url),
    apiKey,
    accountId,
    tokens,
    tokensExpireAt,
    ...(app?.signingSecret !== undefined && { signingSecret: app.signingSecret }),
    ...(controlToken !== undefined && { controlToken }),
  };
}

/** The same as environment variables, without those that there is nothing to say about. */
export function variablesOf({ url, apiKey, accountId, tokens, signingSecret, controlToken }: Ready): Variables {
  const roles = Object.entries(tokens).map(([role, token]) => [`TOKEN_${role.toUpperCase()}`, token] as const);
  const values = [
    ["BASE_URL", url],
    ["API_KEY", apiKey],
    ["ACCOUNT_ID", accountId],
    ...roles,
    ["SIGNING_SECRET", signingSecret],
    ["CONTROL_TOKEN", controlToken],
  ] as const;
  return Object.fromEntries(values.flatMap(([name, value]) => (value ? [[`CALL_TRANSFER_${name}`, value]] : [])));
}

/** What a person reads when a server is ready, with commands that work as they stand. */
export function banner({ url, apiKey, accountId, tokens, tokensExpireAt, controlToken }: Ready): string {
  const where = url === "http://127.0.0.1:4010" ? "" : ` --url ${url}`;
  const permission = controlToken === undefined ? "" : ` --token ${controlToken}`;
  const roles = Object.entries(tokens);
  const credentials = [
    `API key (for servers):  ${apiKey}`,
    `Account:                ${accountId}`,
    ...(roles.length === 0
      ? []
      : [
          "",
          "Access tokens (for browsers, with the account in the header X-Account-Id),",
          `good until ${tokensExpireAt} on the server's clock:`,
          ...roles.map(([role, token]) => `  ${role.padEnd(6)}  ${token}`),
          `A new one:  ${program} token ${roles[0]?.[0]}${where}${permission}`,
        ]),
  ];
  return [
    `The mock server listens on ${url}`,
    "",
    ...(apiKey === "" ? ["There are no credentials, because the data holds no account: see --seed."] : credentials),
    ...(controlToken === undefined ? [] : ["", `Control plane token:    ${controlToken}`]),
    "",
    ...(apiKey === "" ? [] : [`Try:   curl -H "Authorization: Bearer ${apiKey}" ${url}/api/v1/roles`]),
    `Help:  ${program} --help`,
    "Stop:  Ctrl-C",
  ].join("\n");
}

/** The address as this machine reaches it: one that stands for all addresses is none that every client connects to. */
export function pasteable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}
