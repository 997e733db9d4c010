import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { errorMessage } from "@call-transfer/backend/control-client";
import description from "../../package.json" with { type: "json" };
import { exitStatus } from "./options.ts";
import { printError, processTerminal } from "./output.ts";
import type { Programs } from "./program.ts";
import { UsageError } from "./values.ts";

const oldestNode = 20;

/**
 * Lets Node keep compiled code, so that later runs start faster. Below the home folder, where only this user can write: compiled code
 * of others would run as this user. `NODE_COMPILE_CACHE` names another folder, and `NODE_DISABLE_COMPILE_CACHE=1` keeps nothing.
 */
export function keepCompiledCode(): void {
  try {
    // Node 20 cannot keep it.
    module.enableCompileCache?.(join(homedir(), ".cache", "call-transfer-mock"));
  } catch {
    // A user without an entry has no home folder unless HOME names one, as in some containers.
  }
  // Node itself writes at the exit, which a server that is killed does not reach. Its start must not wait for that.
  setTimeout(() => module.flushCompileCache?.(), 2000).unref();
}

/** Runs a command line. Prints an error, and returns the exit status; undefined if a server runs on, or all went well. */
export async function main(given: readonly string[]): Promise<number | undefined> {
  reachThisMachineDirectly(process.env);
  return run(given).catch((error: unknown) => {
    printError(errorMessage(error));
    return error instanceof UsageError ? exitStatus.wrongCommandLine : exitStatus.failure;
  });
}

const loopback = "127.0.0.1,localhost,::1,[::1]";

/** Sends no token and no key for a server of this machine to a proxy of the environment (`NODE_USE_ENV_PROXY`). */
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
  if (given[0] === "--version") {
    console.log(description.version);
    return exitStatus.success;
  }
  const { runProgram } = await import("./program.ts");
  return runProgram(given, await programsFor(given), processTerminal());
}

/** The programs that a command line may mean. */
async function programsFor(given: readonly string[]): Promise<Programs> {
  const { commands } = isOfStart(given) ? { commands: [] } : await import("./commands.ts");
  return {
    commands,
    start: async (raw) => (await import("./start.ts")).start(raw),
    attack: async (urls, raw) => (await import("./attack-command.ts")).attack(urls, raw),
  };
}

/** Whether a command line starts a server, so that no command needs to be loaded. */
function isOfStart([first = "start", ...rest]: readonly string[]): boolean {
  return (first === "start" || first.startsWith("-")) && ![first, ...rest].some((word) => /^(?:-h|--help)$/.test(word));
}
