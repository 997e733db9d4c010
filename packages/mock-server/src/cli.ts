#!/usr/bin/env node
import description from "../package.json" with { type: "json" };
import { commandOptions, readArguments, startOptions, suggestion, UsageError } from "./cli/command-line.ts";
import { commands, runCommand } from "./cli/commands.ts";
import { helpOn } from "./cli/help.ts";
import { startPrism } from "./cli/prism-command.ts";
import { program } from "./cli/program.ts";
import { start } from "./cli/start.ts";

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
});

async function main(args: readonly string[]): Promise<void> {
  const [name = "start", ...rest] = args[0]?.startsWith("-") ? ["start", ...args] : args;
  if (name === "help") return printHelp(rest[0]);
  const topic = args[0] === name ? name : undefined;
  if (name === "start") {
    const { values, positionals } = readArguments(rest, startOptions);
    if (printed(values, topic)) return;
    const [operand] = positionals;
    if (operand === undefined) return readEngine(values.engine) === "prism" ? startPrism(values) : start(values);
    const isLate = Object.hasOwn(commands, operand);
    throw new UsageError(`There is no use for: ${operand}${isLate ? "; a command comes first, before options" : ""}`);
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw unknownCommand(name);
  const { values, positionals } = readArguments(rest, commandOptions);
  if (!printed(values, topic)) await runCommand(command, positionals, values);
}

function readEngine(engine = "stateful"): "stateful" | "prism" {
  if (engine === "stateful" || engine === "prism") return engine;
  throw new UsageError(`--engine ${engine}: must be stateful or prism.`);
}

/** Whether the command was only asked about itself, and told. */
function printed(asked: { readonly help: boolean; readonly version: boolean }, topic: string | undefined): boolean {
  if (asked.help) printHelp(topic);
  else if (asked.version) console.log(description.version);
  return asked.help || asked.version;
}

function printHelp(topic: string | undefined): void {
  const text = helpOn(topic);
  if (text === undefined) throw unknownCommand(topic ?? "");
  console.log(text);
}

function unknownCommand(name: string): UsageError {
  const known = ["start", "help", ...Object.keys(commands)];
  return new UsageError(`Unknown command: ${name}.${suggestion(name, known)} Run ${program} --help.`);
}
