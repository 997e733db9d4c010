import { type ControlClient, dataAs, type Schema } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { formatTable } from "../terminal/table.ts";
import { readTime } from "../values/command-line.ts";
import { findNamed, readNames, roles } from "../values/find-record.ts";
import { expectAtMost, unknownWord } from "../values/operands.ts";

type State = NonNullable<Schema<"NewApiKey">["state"]>;

/** The states of an API key. All but the first fail. */
const keyStates = [
  "valid",
  "expired",
  "revoked",
  "ip_restricted",
  "insufficient_scope",
] as const satisfies readonly State[];

export const keys = defineCommand({
  name: "keys",
  summary: "issue an API key for each way in which a key can fail",
  usages: {
    keys: `issue a key of each state: ${keyStates.join(", ")}`,
    "keys STATE": "issue one key and print it, and nothing else",
  },
  example: "keys revoked",
  options: {
    account: { type: "string", value: "ACCOUNT", help: "account of the key, by id or name (default: the first)" },
    role: { type: "string", value: "ROLE", help: "role of the key (default: owner)", choices: roles },
    scope: { type: "string", multiple: true, value: "SCOPE", help: "a scope of the key; repeatable (default: all)" },
    ip: {
      type: "string",
      multiple: true,
      value: "ADDRESS",
      help: "an address that may use it; repeatable (default: any)",
    },
    expires: { type: "string", value: "TIME", help: "when the key expires, an RFC 3339 date-time (default: never)" },
  },
  async run({ control, operands, values, terminal }) {
    const [name] = expectAtMost(1, operands);
    const state = keyStates.find((one) => one === name);
    if (name !== undefined && state === undefined) throw unknownWord("state", name, keyStates);
    const { account, role: roleName, scope: scopes, ip: allowedIps, expires } = values;
    const role = roles.find((one) => one === roleName);
    if (roleName !== undefined && role === undefined) throw unknownWord("role", roleName, roles);
    const options = {
      ...(account !== undefined && {
        accountId: findNamed(account, await readNames(control, "accounts"), "account").id,
      }),
      ...(role !== undefined && { role }),
      ...(scopes !== undefined && { scopes }),
      ...(allowedIps !== undefined && { allowedIps }),
      ...(expires !== undefined && { expiresAt: readTime("--expires", expires) }),
    };
    if (state !== undefined) {
      const data = await issue(control, state, options);
      return { data, text: data.key };
    }
    const data = [];
    for (const one of keyStates) data.push(await issue(control, one, options));
    const text = formatTable(data, terminal, [
      { title: "state", cell: (key) => key.state },
      { title: "key", cell: ({ key }) => key },
    ]);
    return { data, text };
  },
});

async function issue(control: ControlClient, state: State, options: Omit<Schema<"NewApiKey">, "state">) {
  const { id, key } = dataAs<"ApiKey">(
    await control.POST("/_control/v1/auth/api-keys", {
      // openapi-fetch's types drop read-only arrays.
      body: { ...options, state } as never,
    }),
  );
  return { state, id, key };
}
