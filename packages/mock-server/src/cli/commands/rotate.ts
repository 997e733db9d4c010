import { messageOf } from "@call-transfer/backend/control-client";
import { operations } from "@call-transfer/spec";
import { type CommandContext, defineCommand } from "../options/command.ts";
import { formatFields } from "../terminal/table.ts";
import { findNamed, readApps } from "../values/find-record.ts";
import { expectAtMost } from "../values/operands.ts";

/** Rotates the signing secret of an `app` destination, by the operation of the API: its rules and faults apply. */
export const rotate = defineCommand({
  name: "rotate",
  summary: "give an app destination a new signing secret",
  usages: {
    "rotate [DESTINATION]":
      "rotate the signing secret of an app destination, by id or name (default: the first one), and print the new one. Webhooks carry both signatures until the previous one ends",
  },
  example: 'rotate "Front desk app"',
  options: {},
  async run({ operands, ...context }) {
    const [name] = expectAtMost(1, operands);
    const apps = await readApps(context.control);
    const [first] = apps;
    if (first === undefined) throw new Error("The sandbox has no app destination. Add one to the seed.");
    const { id } = name === undefined ? first : findNamed(name, apps, "app");
    const accountId = apps.find((app) => app.id === id)?.accountId ?? "";
    const data = await rotateSecret(id, await headersFor(accountId, context), context);
    const ends = (await readApps(context.control)).find((app) => app.id === id)?.previousSecretExpiresAt;
    const { name: shownName, signingSecret } = data;
    return { data, text: formatFields({ id, name: shownName, signingSecret, "previous one ends": ends }) };
  },
});

type Context = Pick<CommandContext<unknown>, "control" | "fetch" | "url" | "sandbox">;

/** The roles that may rotate a secret, of which an account need not have both. */
const rotatingRoles = ["owner", "admin"] as const;

/** The headers of a request as a member of an account. */
async function headersFor(accountId: string, { control, sandbox }: Context): Promise<Record<string, string>> {
  let failure: unknown;
  for (const role of rotatingRoles) {
    const { data, error } = await control.POST("/_control/v1/auth/tokens", { body: { role, accountId } });
    failure ??= error;
    if (data !== undefined)
      return { Authorization: `Bearer ${data.token}`, "X-Account-Id": accountId, "X-Sandbox": sandbox };
  }
  throw new Error(messageOf(failure));
}

async function rotateSecret(id: string, headers: Record<string, string>, { fetch, url }: Context) {
  const { method, path } = operations.rotateDestinationSecret;
  const address = url + path.replace(/\{\w+\}/, encodeURIComponent(id));
  const response = await fetch(new Request(address, { method, headers }));
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(messageOf(body));
  return body as { readonly name: string; readonly signingSecret: string };
}
