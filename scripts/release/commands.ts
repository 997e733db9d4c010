// The commands of the packages, read from the tables that they parse with.
import * as contract from "../../packages/contract/src/remote/options.ts";
import * as mcp from "../../packages/mcp/src/cli/options.ts";
import { partsOf } from "../../packages/mock-server/src/cli/command.ts";
import { commands } from "../../packages/mock-server/src/cli/commands.ts";
import * as mock from "../../packages/mock-server/src/cli/options.ts";
import { helpText } from "../../packages/mock-server/src/cli/program.ts";
import { variableOf } from "../../packages/mock-server/src/cli/settings.ts";
import { type CommandOption, commandText } from "./compare/commands.ts";

const settingVariables = Object.fromEntries(Object.keys(mock.settings).map((name) => [name, variableOf(name)]));

/** What commander and the program read themselves. */
const help = { help: { type: "boolean", short: "h" }, all: { type: "boolean" } } as const;

/** The options of the mock server's tables, in the form of the others. */
const optionsIn = (table: mock.OptionTable): Record<string, CommandOption> => ({
  ...help,
  ...Object.fromEntries(
    Object.entries(table).map(([name, { value, repeats, fallback }]) => [
      mock.flagOf(name).slice(2),
      {
        type: value === undefined ? "boolean" : "string",
        ...(repeats && { multiple: repeats }),
        ...(fallback !== undefined && { fallback }),
      },
    ]),
  ),
});

/** The options of each action, with those that lead to a server: `clock`, `clock advance` and so on. */
const actions = commands.flatMap(({ name, actions }) =>
  actions.map((action) => [
    `${name} ${partsOf(action).word}`.trim(),
    optionsIn({ ...mock.connectionOptions, ...action.options }),
  ]),
);

/** The text of each package's command, by the package's name. */
export const commandTexts = (): Map<string, string> =>
  new Map([
    [
      "@call-transfer/mock-server",
      commandText({
        name: "call-transfer-mock",
        subcommands: {
          start: { ...optionsIn(mock.startOptions), version: { type: "boolean" } },
          attack: optionsIn(mock.attackOptions),
          ...Object.fromEntries(actions),
        },
        variables: { ...mock.variables, ...settingVariables },
        exitStatus: mock.exitStatus,
        help: [undefined, "attack", ...commands.map(({ name }) => name)].flatMap((topic) =>
          [false, true].map((isWhole) => helpText(topic, commands, isWhole)),
        ),
      }),
    ],
    [
      "@call-transfer/contract",
      commandText({
        name: "call-transfer-contract",
        subcommands: { "call-transfer-contract": contract.options },
        variables: contract.variables,
        exitStatus: contract.exitStatus,
        help: [contract.usage],
      }),
    ],
    [
      "@call-transfer/mcp",
      commandText({
        name: "call-transfer-mcp",
        subcommands: { "call-transfer-mcp": mcp.options },
        variables: mcp.variables,
        exitStatus: mcp.exitStatus,
        help: [mcp.usage],
      }),
    ],
  ]);
