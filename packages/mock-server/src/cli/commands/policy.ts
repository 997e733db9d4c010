import { defineCommand } from "../command.ts";
import { readPolicies, UsageError } from "../command-line.ts";
import { type ControlClient, dataAs } from "../control-client.ts";
import { findNamed } from "../find-record.ts";
import { compact } from "../show.ts";
import { formatTable } from "../table.ts";

/** Lists and changes policies. */
export const policy = defineCommand({
  name: "policy",
  summary: "list or change the policies for what the specification leaves open",
  usages: [
    { form: "policy", help: "list the policies" },
    { form: "policy POLICY…", help: "print the values of some policies" },
    { form: "policy POLICY=VALUE…", help: "change policies. A value is JSON, or else text" },
  ],
  example: "policy concurrentCallLimit=2",
  options: {},
  async run({ control, operands, terminal }) {
    const settings = operands.filter((operand) => operand.includes("="));
    const names = operands.filter((operand) => !operand.includes("="));
    if (settings.length > 0 && names.length > 0)
      throw new UsageError(
        `policy ${names[0]}: must be NAME=VALUE, as the others. Read and change policies separately.`,
      );
    const all = await readAll(control);
    if (settings.length > 0) {
      const body = readPolicies(settings, "policy");
      for (const name of Object.keys(body))
        findNamed(
          name,
          Object.keys(all).map((id) => ({ id })),
          "policy",
        );
      const changed = dataAs<"Policies">(await control.PUT("/_control/v1/policies", { body }));
      const data = Object.fromEntries(Object.keys(body).map((name) => [name, changed[name]]));
      return { data, text: table(data, terminal) };
    }
    const found = names.map(
      (name) =>
        findNamed(
          name,
          Object.keys(all).map((id) => ({ id })),
          "policy",
        ).id,
    );
    const data = found.length === 0 ? all : Object.fromEntries(found.map((name) => [name, all[name]]));
    return { data, text: table(data, terminal) };
  },
});

async function readAll(control: ControlClient): Promise<Readonly<Record<string, unknown>>> {
  return dataAs<"Policies">(await control.GET("/_control/v1/policies"));
}

function table(policies: Readonly<Record<string, unknown>>, terminal: Parameters<typeof formatTable>[2]): string {
  return formatTable(
    Object.entries(policies),
    [
      { title: "policy", cell: ([name]) => name },
      { title: "value", cell: ([, value]) => compact(value) },
    ],
    terminal,
  );
}
