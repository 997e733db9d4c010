import { dataAs, dataOf } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { formatTable } from "../terminal/table.ts";
import { findNamed } from "../values/find-record.ts";
import { expectAtMost } from "../values/operands.ts";

export const scenario = defineCommand({
  name: "scenario",
  isList: true,
  summary: "list the situations that apps are tested in, or apply one",
  usages: {
    scenario: "list the scenarios",
    "scenario SCENARIO": "apply a scenario to the present records, policies and faults, until a reset",
  },
  example: "scenario flaky-503",
  options: {},
  async run({ control, operands, terminal }) {
    const [text] = expectAtMost(1, operands);
    const { scenarios } = dataAs<"ScenarioList">(await control.GET("/_control/v1/scenarios"));
    if (text === undefined) {
      const table = formatTable(scenarios, terminal, [
        { title: "scenario", cell: ({ name }) => name },
        { title: "what happens", cell: ({ description }) => description, flexible: true },
      ]);
      return { data: scenarios, text: table };
    }
    const { id: name, description } = findNamed(
      text,
      scenarios.map((one) => ({ id: one.name, description: one.description })),
      "scenario",
    );
    dataOf(await control.POST("/_control/v1/scenarios/{name}", { params: { path: { name } } }));
    return { data: { name, description }, text: `Applied ${name}: ${description}` };
  },
});
