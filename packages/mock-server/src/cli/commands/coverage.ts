import { dataAs, type Schema } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { wrapMessage } from "../terminal/messages.ts";
import { formatTable } from "../terminal/table.ts";
import { expectAtMost } from "../values/operands.ts";

type Operation = Schema<"Coverage">["operations"][number];

export const coverage = defineCommand({
  name: "coverage",
  isList: true,
  summary: "count the responses of each operation by status or error code",
  usages: {
    coverage:
      "print which documented statuses of each operation, or with --codes which error codes, were seen, and which not",
  },
  options: { codes: { type: "boolean", help: "error codes instead of statuses" } },
  async run({ control, operands, values: { codes }, terminal }) {
    expectAtMost(0, operands);
    const data = dataAs<"Coverage">(await control.GET("/_control/v1/coverage"));
    const counts = (one: Operation) =>
      codes
        ? one.codes.map(({ code, ...rest }) => ({ value: code, ...rest }))
        : one.statuses.map(({ status, ...rest }) => ({ value: status, ...rest }));
    const seen = (one: Operation): string =>
      counts(one)
        .filter(({ count }) => count > 0)
        .map(({ value, documented, count }) => `${value}${documented ? "" : " (undocumented)"}×${count}`)
        .join(" ");
    const notSeen = (one: Operation): string =>
      counts(one)
        .filter(({ count }) => count === 0)
        .map(({ value }) => value)
        .join(" ");
    const table = formatTable(data.operations, terminal, [
      { title: "operation", cell: ({ operationId }) => operationId },
      { title: "seen", cell: seen, colour: () => "green", flexible: true },
      { title: "not seen", cell: notSeen, colour: () => "dim", flexible: true },
    ]);
    const used = data.operations.filter(({ statuses }) => statuses.some(({ count }) => count > 0)).length;
    const { unmatched, refused } = data;
    const summary = `${used} of ${data.operations.length} operations were used. Requests that matched no operation: ${unmatched}, refused by the server: ${refused}.`;
    return { data, text: `${table}\n\n${wrapMessage(summary, terminal.width, 0)}` };
  },
});
