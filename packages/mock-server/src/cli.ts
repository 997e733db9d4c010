#!/usr/bin/env node
import { parseArgs } from "node:util";
import description from "../package.json" with { type: "json" };
import { keepCompiledCode } from "./cli/files/compile-cache.ts";
import { attackOptions, commandOptions, exitStatus, helpOptions, startOptions } from "./cli/options/options.ts";
import { withConnectionSettings, withSettings } from "./cli/options/settings.ts";
import { printError } from "./cli/terminal/messages.ts";
import { readArguments, UsageError } from "./cli/values/command-line.ts";
import { expectAtMost } from "./cli/values/operands.ts";
import { errorMessage } from "./web/error-message.ts";

keepCompiledCode();
const oldestNode = 20;
await main(process.argv.slice(2)).catch((error: unknown) => {
  printError(errorMessage(error));
  process.exitCode = error instanceof UsageError ? exitStatus.wrongCommandLine : exitStatus.failure;
});

// Each branch loads what it runs, and nothing else: a command starts in a third of the time of a server.
async function main(given: readonly string[]): Promise<void> {
  // Otherwise the first function that it lacks would fail.
  if (Number.parseInt(process.versions.node, 10) < oldestNode)
    throw new Error(`Node ${oldestNode} or newer is required, and this is ${process.version}. Update Node.`);
  const args = hasOperand(given) ? (await loadCommands()).commandFirst(given) : given;
  const [name = "start", ...rest] = args[0]?.startsWith("-") ? ["start", ...args] : args;
  const topic = args[0] === name ? name : undefined;
  if (name === "start") {
    const { values: options, positionals } = readArguments(rest, startOptions);
    if (await printInfo(options, topic)) return;
    const [operand] = positionals;
    if (operand !== undefined) throw (await loadCommands()).unexpectedOperand(operand);
    const { values, naming } = withSettings(options, startOptions);
    return naming(async () => {
      const engine = readEngine(values.engine);
      if (engine === "prism") return (await import("./cli/start/prism-command.ts")).startPrism(values);
      if (engine === "proxy") return (await import("./cli/start/proxy-command.ts")).startProxyCommand(values);
      return (await import("./cli/start/start.ts")).start(values);
    });
  }
  if (name === "attack") {
    const { values, positionals } = readArguments(rest, attackOptions);
    if (!(await printInfo(values, topic))) await (await import("./cli/attack-command.ts")).attack(positionals, values);
    return;
  }
  const { parseCommand, printHelp, runCommand } = await loadCommands();
  if (name === "help") return printHelp(...readHelp(rest));
  const parsed = parseCommand(name, rest);
  if (await printInfo(parsed.values, topic)) return;
  const { values, naming } = withConnectionSettings(parsed.values);
  process.exitCode = await naming(() => runCommand({ ...parsed, values }));
}

/** Whether something that may be a command stands behind options. */
function hasOperand(args: readonly string[]): boolean {
  if (!args[0]?.startsWith("-")) return false;
  const options = { ...startOptions, ...commandOptions };
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals.length > 0;
}

function loadCommands() {
  return import("./cli/run.ts");
}

/** The topic after `help`, and whether the help is the whole one. */
function readHelp(args: readonly string[]): [topic: string | undefined, isWhole: boolean] {
  const { values, positionals } = readArguments(args, helpOptions);
  const [topic] = expectAtMost(1, positionals);
  return [topic, values.all];
}

function readEngine(engine: string = startOptions.engine.fallback): "stateful" | "prism" | "proxy" {
  if (engine === "stateful" || engine === "prism" || engine === "proxy") return engine;
  throw new UsageError(`--engine ${engine}: must be stateful, prism or proxy.`);
}

/** Prints the help or the version when an option asks for it; returns whether it did. */
async function printInfo(
  values: { readonly help: boolean; readonly all: boolean; readonly version: boolean },
  topic: string | undefined,
): Promise<boolean> {
  if (values.all && !values.help) throw new UsageError("--all only works with --help. Add --help, or remove --all.");
  if (values.help) (await loadCommands()).printHelp(topic, values.all);
  else if (values.version) console.log(description.version);
  return values.help || values.version;
}
