import type { zRole as roleSchema } from "@call-transfer/spec/schemas";
import type { Command } from "./command.ts";
import { readLifetime, suggestion, UsageError } from "./command-line.ts";
import { messageOf } from "./control-client.ts";
import { commandOptions } from "./options.ts";

/** Issues an access token for a role or a user. Prints nothing else, so that scripts can use the output. */
export const issueToken: Command = async (control, operands, values) => {
  const { user: userId, account: accountId, lifetime = commandOptions.lifetime.fallback } = values;
  const [name, ...others] = operands;
  if (others.length > 0) throw new UsageError(`Unexpected argument "${others[0]}".`);
  const role = name === undefined && userId === undefined ? "owner" : await readRole(name);
  const expiresInSecs = readLifetime("--lifetime", lifetime);
  const { data, error } = await control.POST("/_control/v1/auth/tokens", {
    body: {
      expiresInSecs,
      ...(role !== undefined && { role }),
      ...(userId !== undefined && { userId }),
      ...(accountId !== undefined && { accountId }),
    },
  });
  if (data !== undefined) return { data, text: data.token };
  const places: Readonly<Record<string, string>> = {
    role: `token ${role}`,
    userId: `--user ${userId}`,
    accountId: `--account ${accountId}`,
    expiresInSecs: `--lifetime ${lifetime}`,
  };
  const { field = "", message = messageOf(error) } = error?.error ?? {};
  const place = places[field];
  if (place === undefined) throw new Error(message);
  throw new UsageError(`${place}: ${message.replace(`${field}: `, "")}.`);
};

async function readRole(name: string | undefined): Promise<(typeof roleSchema)["options"][number] | undefined> {
  if (name === undefined) return undefined;
  // Loaded only here: the schemas take longer to load than the other commands to run.
  const { zRole } = await import("@call-transfer/spec/schemas");
  const roles = zRole.options;
  const role = roles.find((one) => one === name);
  if (role === undefined)
    throw new UsageError(`token ${name}: must be one of ${roles.join(", ")}.${suggestion(name, roles)}`);
  return role;
}
