import { type ControlClient, dataAs, dataOf, type Schema } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { compact } from "../terminal/show.ts";
import { formatFields, formatTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readPolicies, UsageError } from "../values/command-line.ts";
import { findNamed } from "../values/find-record.ts";

type Policy = Schema<"PolicyDescriptions">["policies"][number];

export const policy = defineCommand({
  name: "policy",
  isList: true,
  summary: "list or change the policies for what the specification leaves open",
  usages: {
    policy: "list the policies; a value in colour differs from the default",
    "policy POLICY…": "show some policies, each with its whole description",
    "policy POLICY=VALUE…": "change policies. A value is JSON, or else text",
  },
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
    const find = (name: string, policies: readonly Policy[]): Policy => {
      const { id } = findNamed(
        name,
        all.map((one) => ({ id: one.name })),
        "policy",
      );
      return policies.find((one) => one.name === id) ?? failed(id);
    };
    if (settings.length > 0) {
      const body = readPolicies(settings, "policy");
      for (const name of Object.keys(body)) find(name, all);
      dataOf(await control.PUT("/_control/v1/policies", { body }));
      const changed = await readAll(control);
      const data = Object.keys(body).map((name) => find(name, changed));
      return { data, text: data.map(({ name, value }) => `${name}: ${compact(value)}`).join("\n") };
    }
    if (names.length > 0) {
      const data = names.map((name) => find(name, all));
      return { data, text: data.map((one) => formatPolicy(one, terminal)).join("\n\n") };
    }
    const text = formatTable(all, terminal, [
      { title: "policy", cell: ({ name }) => name },
      {
        title: "value",
        cell: ({ value }) => compact(value),
        flexible: true,
        colour: (one) => (compact(one.value) === compact(one.default) ? undefined : "yellow"),
      },
      {
        title: "default",
        cell: (one) => (compact(one.value) === compact(one.default) ? "" : compact(one.default)),
      },
      { title: "what it decides", cell: ({ description }) => description, flexible: true },
    ]);
    return { data: all, text };
  },
});

async function readAll(control: ControlClient): Promise<readonly Policy[]> {
  return dataAs<"PolicyDescriptions">(await control.GET("/_control/v1/policies/descriptions")).policies;
}

function failed(name: string): never {
  throw new Error(`The server does not describe the policy ${name}.`);
}

function formatPolicy(
  { name, value, default: usual, unit, choices, assumption, description }: Policy,
  { width }: Terminal,
): string {
  return formatFields(
    {
      policy: name,
      value: `${compact(value)}${unit === undefined ? "" : ` ${unit}`}`,
      default: compact(usual),
      choices: choices?.join(", "),
      assumption,
      decides: description,
    },
    width,
  );
}
