// The commands of the packages, read from the tables that they parse with.
import * as contract from "../../packages/contract/src/remote/options.ts";
import * as mcp from "../../packages/mcp/src/cli/options.ts";
import { commands } from "../../packages/mock-server/src/cli/commands/all.ts";
import { helpText } from "../../packages/mock-server/src/cli/help/help.ts";
import { optionsOf } from "../../packages/mock-server/src/cli/options/command.ts";
import * as mock from "../../packages/mock-server/src/cli/options/options.ts";
import { variableOf } from "../../packages/mock-server/src/cli/options/settings.ts";
import { commandText } from "./compare/commands.ts";

const settingVariables = Object.fromEntries(Object.keys(mock.settings).map((name) => [name, variableOf(name)]));

/** The text of each package's command, by the package's name. */
export const commandTexts = (): Map<string, string> =>
  new Map([
    [
      "@call-transfer/mock-server",
      commandText({
        name: "call-transfer-mock",
        subcommands: {
          start: mock.startOptions,
          attack: mock.attackOptions,
          ...Object.fromEntries(commands.map((command) => [command.name, optionsOf(command)])),
        },
        variables: { ...mock.variables, ...settingVariables },
        exitStatus: mock.exitStatus,
        help: ["help", "start", "settings", "attack", ...commands.map(({ name }) => name)].flatMap((topic) =>
          [false, true].map((isWhole) => helpText(topic, commands, isWhole) ?? ""),
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
