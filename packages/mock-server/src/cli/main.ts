import { parseArgs } from "node:util";
import description from "../../package.json" with { type: "json" };
import { errorMessage } from "../web/error-message.ts";
import { attackOptions, commandOptions, exitStatus, helpOptions, startOptions } from "./options/options.ts";
import { withConnectionSettings, withSettings } from "./options/settings.ts";
import { printError } from "./terminal/messages.ts";
import { readArguments, UsageError } from "./values/command-line.ts";
import { expectAtMost } from "./values/operands.ts";

const oldestNode = 20;

/** Runs a command line. Prints an error, and returns the exit status; undefined if a server runs on, or all went well. */
export async function main(given: readonly string[]): Promise<number | undefined> {
  reachThisMachineDirectly(process.env);
  return run(given).catch((error: unknown) => {
    printError(errorMessage(error));
    return error instanceof UsageError ? exitStatus.wrongCommandLine : exitStatus.failure;
  });
}

const loopback = "127.0.0.1,localhost,::1,[::1]";

/** Takes the servers of this machine from what Node sends through a proxy of the environment (`NODE_USE_ENV_PROXY`). */
function reachThisMachineDirectly(env: NodeJS.ProcessEnv): void {
  if (![env.http_proxy, env.HTTP_PROXY, env.https_proxy, env.HTTPS_PROXY].some(Boolean)) return;
  const others = env.no_proxy ?? env.NO_PROXY ?? "";
  if (others.trim() === "*") return;
  env.no_proxy = [others, loopback].filter(Boolean).join(",");
  env.NO_PROXY = env.no_proxy;
}

// Each branch loads what it runs, and nothing else: a command starts in a third of the time of a server.
async function run(given: readonly string[]): Promise<number | undefined> {
  // Otherwise the first function that it lacks would fail.
  if (Number.parseInt(process.versions.node, 10) < oldestNode)
    throw new Error(`Node ${oldestNode} or newer is required, and this is ${process.version}. Update Node.`);
  const args = hasOperand(given) ? (await loadCommands()).commandFirst(given) : given;
  const [name = "start", ...rest] = args[0]?.startsWith("-") ? ["start", ...args] : args;
  const topic = args[0] === name ? name : undefined;
  if (name === "start") {
    const { values: options, positionals } = readArguments(rest, startOptions);
    if (await printInfo(options, topic)) return undefined;
    const [operand] = positionals;
    if (operand !== undefined) throw (await loadCommands()).unexpectedOperand(operand);
    const { values, naming } = withSettings(options, startOptions);
    await naming(async () => {
      const engine = readEngine(values.engine);
      if (engine === "prism") return (await import("./start/prism-command.ts")).startPrism(values);
      return (await import("./start/start.ts")).start(values);
    });
    return undefined;
  }
  if (name === "attack") {
    const { values, positionals } = readArguments(rest, attackOptions);
    if (await printInfo(values, topic)) return undefined;
    return (await import("./attack-command.ts")).attack(positionals, values);
  }
  const { parseCommand, printHelp, runCommand } = await loadCommands();
  if (name === "help") {
    printHelp(...readHelp(rest));
    return undefined;
  }
  const parsed = parseCommand(name, rest);
  if (await printInfo(parsed.values, topic)) return undefined;
  const { values, naming } = withConnectionSettings(parsed.values);
  return naming(() => runCommand({ ...parsed, values }));
}

/** Whether something that may be a command stands behind options. */
function hasOperand(args: readonly string[]): boolean {
  if (!args[0]?.startsWith("-")) return false;
  const options = { ...startOptions, ...commandOptions };
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true }).positionals.length > 0;
}

function loadCommands() {
  return import("./run.ts");
}

/** The topic after `help`, and whether the help is the whole one. */
function readHelp(args: readonly string[]): [topic: string | undefined, isWhole: boolean] {
  const { values, positionals } = readArguments(args, helpOptions);
  const [topic] = expectAtMost(1, positionals);
  return [topic, values.all];
}

function readEngine(engine: string = startOptions.engine.fallback): "stateful" | "prism" {
  if (engine === "stateful" || engine === "prism") return engine;
  throw new UsageError(`--engine ${engine}: must be stateful or prism.`);
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
