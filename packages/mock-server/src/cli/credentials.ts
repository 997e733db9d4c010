import { addressOf, type ControlClient, dataAs, messageOf, type Schema } from "@call-transfer/backend/control-client";
import { operations } from "@call-transfer/spec";
import { action, type Command, type Context } from "./command.ts";
import { findNamed, readApps, readNames, roles } from "./find-record.ts";
import { startOptions } from "./options.ts";
import { formatFields } from "./tables.ts";
import { oneOf, readLifetime, UsageError } from "./values.ts";
import { findApp } from "./webhooks.ts";

type KeyState = NonNullable<Schema<"NewApiKey">["state"]>;

/** The states of an API key. All but the first fail. */
const keyStates = [
  "valid",
  "expired",
  "revoked",
  "ip_restricted",
  "insufficient_scope",
] as const satisfies readonly KeyState[];

const { fallback: defaultLifetime, ...lifetime } = startOptions.tokenExpiresIn;
export const credentials: Command = {
  name: "credentials",
  summary: "create access tokens and API keys, or rotate a signing secret",
  example: "credentials token agent --expires-in 15m",
  actions: [
    action(
      "token [ROLE]",
      {
        help: "print a new access token for a role (default owner), and nothing else",
        options: {
          user: { value: "USER", help: "create it for this user, by id or name; ROLE is optional then" },
          account: { value: "ACCOUNT", help: "account of the user, by id or name (default: the first)" },
          expiresIn: {
            ...lifetime,
            help: `lifetime on the sandbox's clock: 15m, 24h, … (default ${defaultLifetime})`,
          },
          expired: { help: "create a token that has expired" },
        },
      },
      createToken,
    ),
    action(
      "keys [STATE]",
      {
        help: `print a new API key, and nothing else. STATE is one of ${keyStates.join(", ")} (default valid)`,
        example: "keys revoked",
      },
      async ({ control, operands: [name = "valid"] }) => {
        const body = { state: oneOf(keyStates)("credentials keys", name) };
        const data = dataAs<"ApiKey">(await control.POST("/_control/v1/credentials/api-keys", { body }));
        return { data, text: data.key };
      },
    ),
    action(
      "rotate [DESTINATION]",
      {
        help: "rotate the signing secret of an app destination, by id or name (default: the first one), and print the new one. Webhooks carry both signatures until the previous one ends",
      },
      async (context) => {
        const { control, operands } = context;
        const { id, accountId } = await findApp(control, operands[0]);
        const data = await rotateSecret(id, await headersFor(accountId, context), context);
        const ends = (await readApps(control)).find((app) => app.id === id)?.previousSecretExpiresAt;
        const { name, signingSecret } = data;
        return { data, text: formatFields({ id, name, signingSecret, "previous one ends": ends }) };
      },
    ),
  ],
};

async function idOf(control: ControlClient, collection: "users" | "accounts", name: string | undefined) {
  if (name === undefined) return undefined;
  return findNamed(name, await readNames(control, collection), collection.replace(/s$/, "")).id;
}

type TokenOptions = Record<"user" | "account", string | undefined> & {
  expiresIn: number | undefined;
  expired: boolean;
};

async function createToken({ control, operands: [name], values }: Omit<Context, "values"> & { values: TokenOptions }) {
  const { user, account, expired, expiresIn = readLifetime("--expires-in", defaultLifetime) } = values;
  if (expired && values.expiresIn !== undefined)
    throw new UsageError("--expired does not work with --expires-in. Remove one of them.");
  const word = name ?? (user === undefined ? "owner" : undefined);
  const role = word === undefined ? undefined : oneOf(roles)("credentials token", word);
  const userId = await idOf(control, "users", user);
  const accountId = await idOf(control, "accounts", account);
  const data = dataAs<"Token">(
    await control.POST("/_control/v1/credentials/access-tokens", {
      body: {
        ...(expired ? { expired } : { expiresInSecs: expiresIn }),
        ...(role !== undefined && { role }),
        ...(userId !== undefined && { userId }),
        ...(accountId !== undefined && { accountId }),
      },
    }),
  );
  return { data, text: data.accessToken };
}

/** The roles that may rotate a secret, of which an account need not have both. */
const rotatingRoles = ["owner", "admin"] as const;

/** The headers of a request as a member of an account. */
async function headersFor(accountId: string, { control, sandbox }: Pick<Context, "control" | "sandbox">) {
  let failure: unknown;
  for (const role of rotatingRoles) {
    const { data, error } = await control.POST("/_control/v1/credentials/access-tokens", { body: { role, accountId } });
    failure ??= error;
    if (data !== undefined)
      return { Authorization: `Bearer ${data.accessToken}`, "X-Account-Id": accountId, "X-Sandbox": sandbox };
  }
  throw new Error(messageOf(failure));
}

/** Rotates the secret by the operation of the API: its rules and faults apply. */
async function rotateSecret(
  id: string,
  headers: Record<string, string>,
  { fetch, url }: Pick<Context, "fetch" | "url">,
) {
  const { method, path } = operations.rotateDestinationSecret;
  const address = url + addressOf(path, { path: { id } });
  const response = await fetch(new Request(address, { method, headers }));
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(messageOf(body));
  return body as { readonly name: string; readonly signingSecret: string };
}
