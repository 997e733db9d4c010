#!/usr/bin/env node
import { InputError } from "@call-transfer/backend";
import description from "../package.json" with { type: "json" };
import { commandOptions, help, readArguments, startOptions, UsageError } from "./command-line.ts";
import { commands, runCommand } from "./commands.ts";
import { start } from "./start.ts";

await main(process.argv.slice(2)).catch((error: unknown) => {
  const isMisuse = error instanceof UsageError || error instanceof InputError;
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = isMisuse ? 2 : 1;
});

async function main(args: readonly string[]): Promise<void> {
  const [name = ""] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) {
    const { values, positionals } = readArguments(args.slice(1), commandOptions);
    return printed(values) ? undefined : runCommand(command, positionals, values);
  }
  if (name !== "start" && !name.startsWith("-") && name !== "")
    throw new UsageError(`Unknown command: ${name}. Run call-transfer-mock --help.`);
  const { values, positionals } = readArguments(name === "start" ? args.slice(1) : args, startOptions);
  if (positionals.length > 0) throw new UsageError(`There is no use for: ${positionals.join(" ")}`);
  return printed(values) ? undefined : start(values);
}

/** Whether the command was only asked about itself, and told. */
function printed({ help: wantsHelp, version }: { readonly help: boolean; readonly version: boolean }): boolean {
  if (wantsHelp) console.log(help);
  else if (version) console.log(description.version);
  return wantsHelp || version;
}
