// The commands of the packages, read from the tables that they parse with.
import * as contract from "../../packages/contract/src/live/options.ts";
import { helpText } from "../../packages/mock-server/src/cli/help.ts";
import * as mock from "../../packages/mock-server/src/cli/options.ts";
import { commandText } from "./compare/commands.ts";

const ownerOf: Readonly<Record<string, string>> = mock.ownOptions;

const optionsOf = (subcommand: string) =>
  Object.fromEntries(
    Object.entries(mock.commandOptions).filter(([option]) => (ownerOf[option] ?? subcommand) === subcommand),
  );

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
          ...Object.fromEntries(mock.commandNames.map((name) => [name, optionsOf(name)])),
        },
        variables: mock.variables,
        exitStatus: mock.exitStatus,
        help: ["help", "start", "attack", ...mock.commandNames].map((topic) => helpText(topic) ?? ""),
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
  ]);
