import { messageOf } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { startOptions } from "../options/options.ts";
import { readLifetime, suggestion, UsageError } from "../values/command-line.ts";
import { findNamed, readNames, roles } from "../values/find-record.ts";
import { expectAtMost } from "../values/operands.ts";

const { fallback: tokenLifetime } = startOptions["token-lifetime"];

/** Issues an access token for a role or a user. Prints nothing else, so that scripts can use the output. */
export const token = defineCommand({
  name: "token",
  summary: "print a new access token for a role or a user",
  isFrequent: true,
  usages: { "token [ROLE]": "print a new access token for a role (default owner), and nothing else" },
  example: "token agent --lifetime 15m",
  options: {
    user: { type: "string", value: "USER", help: "issue it for this user, by id or name; ROLE is optional then" },
    account: {
      type: "string",
      value: "ACCOUNT",
      help: "account, by id or name, in which a user with the role is looked up (default: the first)",
    },
    lifetime: {
      type: "string",
      fallback: tokenLifetime,
      value: "TIME",
      help: "lifetime on the sandbox's clock: 15m, 24h, …",
    },
    expired: { type: "boolean", help: "issue a token that has expired" },
  },
  async run({ control, operands, values }) {
    const { user, account, lifetime = tokenLifetime, expired } = values;
    const [name] = expectAtMost(1, operands);
    const role = name === undefined && user === undefined ? "owner" : readRole(name);
    const expiresInSecs = readLifetime("--lifetime", lifetime);
    if (expired && values.lifetime !== undefined)
      throw new UsageError("--expired does not work with --lifetime. Remove one of them.");
    const userId = user && findNamed(user, await readNames(control, "users"), "user").id;
    const accountId = account && findNamed(account, await readNames(control, "accounts"), "account").id;
    const { data, error } = await control.POST("/_control/v1/auth/tokens", {
      body: {
        ...(expired ? { expired } : { expiresInSecs }),
        ...(role !== undefined && { role }),
        ...(userId !== undefined && { userId }),
        ...(accountId !== undefined && { accountId }),
      },
    });
    if (data !== undefined) return { data, text: data.token };
    const places: Readonly<Record<string, string>> = {
      role: `token ${role}`,
      userId: `--user ${user}`,
      accountId: `--account ${account}`,
      expiresInSecs: `--lifetime ${lifetime}`,
    };
    const { field = "", message = messageOf(error) } = error?.error ?? {};
    const place = places[field];
    if (place === undefined) throw new Error(message);
    throw new UsageError(`${place}: ${message.replace(`${field}: `, "")}.`);
  },
});

function readRole(name: string | undefined): (typeof roles)[number] | undefined {
  if (name === undefined) return undefined;
  const role = roles.find((one) => one === name);
  if (role === undefined)
    throw new UsageError(`token ${name}: must be one of ${roles.join(", ")}.${suggestion(name, roles)}`);
  return role;
}
