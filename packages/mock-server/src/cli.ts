#!/usr/bin/env node
import description from "../package.json" with { type: "json" };
import { readArguments, UsageError } from "./cli/command-line.ts";
import { commands } from "./cli/commands/all.ts";
import { keepCompiledCode } from "./cli/compile-cache.ts";
import { helpText } from "./cli/help.ts";
import { printError } from "./cli/messages.ts";
import { attackOptions, exitStatus, startOptions } from "./cli/options.ts";
import { parseCommand, runCommand, unknownCommand } from "./cli/run-command.ts";
import { withConnectionSettings, withSettings } from "./cli/settings.ts";
import { processTerminal } from "./cli/terminal.ts";

keepCompiledCode();
await main(process.argv.slice(2)).catch((error: unknown) => {
  printError(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? exitStatus.wrongCommandLine : exitStatus.failure;
});

async function main(args: readonly string[]): Promise<void> {
  const [name = "start", ...rest] = args[0]?.startsWith("-") ? ["start", ...args] : args;
  if (name === "help") return printHelp(rest[0]);
  const topic = args[0] === name ? name : undefined;
  if (name === "start") {
    const { values: given, positionals } = readArguments(rest, startOptions);
    if (printInfo(given, topic)) return;
    const [operand] = positionals;
    if (operand === undefined) {
      const { values, naming } = withSettings(given, startOptions);
      return naming(async () => {
        // Loaded only here, so that the other commands start in a third of the time.
        if (readEngine(values.engine) === "prism") return (await import("./cli/prism-command.ts")).startPrism(values);
        return (await import("./cli/start.ts")).start(values);
      });
    }
    const advice =
      operand === "attack" || commands.some((command) => command.name === operand)
        ? " Put the command before its options."
        : "";
    throw new UsageError(`Unexpected argument "${operand}".${advice}`);
  }
  if (name === "attack") {
    const { values, positionals } = readArguments(rest, attackOptions);
    if (!printInfo(values, topic)) await (await import("./cli/attack-command.ts")).attack(positionals, values);
    return;
  }
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw unknownCommand(name, commands);
  const parsed = parseCommand(command, rest, commands);
  if (printInfo(parsed.values, topic)) return;
  const { values, naming } = withConnectionSettings(parsed.values);
  process.exitCode = await naming(() => runCommand({ ...parsed, values }, processTerminal(), commands));
}

function readEngine(engine: string = startOptions.engine.fallback): "stateful" | "prism" {
  if (engine === "stateful" || engine === "prism") return engine;
  throw new UsageError(`--engine ${engine}: must be stateful or prism.`);
}

/** Prints the help or the version when an option asks for it; returns whether it did. */
function printInfo(values: { readonly help: boolean; readonly version: boolean }, topic: string | undefined): boolean {
  if (values.help) printHelp(topic);
  else if (values.version) console.log(description.version);
  return values.help || values.version;
}

function printHelp(topic: string | undefined): void {
  const text = helpText(topic, commands);
  if (text === undefined) throw unknownCommand(topic ?? "", commands);
  console.log(text);
}
