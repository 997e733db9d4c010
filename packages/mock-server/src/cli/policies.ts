import { dataAs, type Schema } from "@call-transfer/backend/control-client";
import { action, type Command, type ControlContext } from "./command.ts";
import { findNamed } from "./find-record.ts";
import { wrapMessage } from "./output.ts";
import { compact, formatFields, formatTable } from "./tables.ts";
import { readAssignment, UsageError } from "./values.ts";

type Policy = Schema<"PolicyList">["policies"][number];
type Operation = Schema<"Coverage">["operations"][number];

export const policies: Command = {
  name: "policies",
  summary: "list or change limits, and what the specification leaves open",
  example: "policies concurrentCallLimit=2",
  actions: [
    action(
      "[POLICY…]",
      {
        help: "list the policies; a value in colour differs from the default. With names, show these policies with their whole descriptions. With NAME=VALUE, change them; a value is JSON, or else text",
      },
      async ({ control, operands, terminal }) => {
        const settings = operands.filter((operand) => operand.includes("="));
        const names = operands.filter((operand) => !operand.includes("="));
        if (settings.length > 0 && names.length > 0)
          throw new UsageError(`policies ${names[0]}: expected NAME=VALUE. Do not mix reading and changing.`);
        const all = await readAll({ control });
        const found = (name: string): string =>
          findNamed(
            name,
            all.map((one) => ({ id: one.name })),
            "policy",
          ).id;
        if (settings.length > 0) {
          const given = settings.map((setting) => readAssignment("policies", setting));
          const body = Object.fromEntries(given.map(([name, value]) => [found(name), value]));
          const { policies: changed } = dataAs<"PolicyList">(await control.PATCH("/_control/v1/policies", { body }));
          const data = changed.filter(({ name }) => Object.hasOwn(body, name));
          return { data, text: data.map(({ name, value }) => `${name}: ${compact(value)}`).join("\n") };
        }
        if (names.length > 0) {
          const ids = names.map(found);
          const data = all.filter(({ name }) => ids.includes(name));
          return { data, text: data.map((one) => formatPolicy(one, terminal.width)).join("\n\n") };
        }
        const text = formatTable(all, terminal, [
          { title: "policy", cell: ({ name }) => name },
          {
            title: "value",
            cell: ({ value }) => compact(value),
            flexible: true,
            colour: (one) => (isDefault(one) ? undefined : "yellow"),
          },
          { title: "default", cell: (one) => (isDefault(one) ? "" : compact(one.default)) },
          { title: "what it decides", cell: ({ description }) => description, flexible: true },
        ]);
        return { data: all, text };
      },
    ),
  ],
};

const isDefault = (one: Policy): boolean => compact(one.value) === compact(one.default);

async function readAll({ control }: ControlContext): Promise<readonly Policy[]> {
  return dataAs<"PolicyList">(await control.GET("/_control/v1/policies")).policies;
}

function formatPolicy(policy: Policy, width: number | undefined): string {
  const { name, value, default: usual, unit, choices, assumption, description } = policy;
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

export const coverage: Command = {
  name: "coverage",
  summary: "count the responses of each operation by status or error code",
  actions: [
    action(
      "",
      {
        help: "print which documented statuses of each operation, or with --codes which error codes, were seen, and which not",
        options: { codes: { help: "error codes instead of statuses" } },
      },
      async ({ control, values: { codes }, terminal }) => {
        const data = dataAs<"Coverage">(await control.GET("/_control/v1/coverage"));
        const counts = (one: Operation) =>
          codes
            ? one.codes.map(({ code, ...rest }) => ({ value: code, ...rest }))
            : one.statuses.map(({ status, ...rest }) => ({ value: status, ...rest }));
        const seen = (one: Operation): string[] =>
          counts(one).flatMap(({ value, documented, count }) =>
            count === 0 ? [] : [`${value}${documented ? "" : " (undocumented)"}×${count}`],
          );
        const notSeen = (one: Operation) => counts(one).flatMap(({ value, count }) => (count === 0 ? [value] : []));
        const table = formatTable(data.operations, terminal, [
          { title: "operation", cell: ({ operationId }) => operationId },
          { title: "seen", cell: (one) => seen(one).join(" "), colour: () => "green", flexible: true },
          { title: "not seen", cell: (one) => notSeen(one).join(" "), colour: () => "dim", flexible: true },
        ]);
        const used = data.operations.filter(({ statuses }) => statuses.some(({ count }) => count > 0)).length;
        const summary = `${used} of ${data.operations.length} operations were used. Requests that matched no operation: ${data.unmatched}, rejected by the server: ${data.refused}.`;
        return { data, text: `${table}\n\n${wrapMessage(summary, terminal.width, 0)}` };
      },
    ),
  ],
};
