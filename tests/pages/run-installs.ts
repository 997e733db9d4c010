// Runs the install commands that the pages print, each in a new folder, with the registry and the index that the environment
// names: `run-installs.ts CLONE`. Commands that name a folder run in that clone of the repository.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { performance } from "node:perf_hooks";
import { run, temporaryFolder, tools } from "../../scripts/packed.ts";
import { ensureUv } from "../../scripts/python.ts";
import { runWithinMs } from "../../scripts/made.ts";
import { type InstallCommand, installCommands } from "./install-commands.ts";

const [clone = ""] = process.argv.slice(2);

/** Makes what a reader has in a new folder. Returns the folders of programs that come first there. */
function prepare(folder: string, command: string): string[] {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "reader", version: "1.0.0" }));
  // Otherwise it takes no version of the last 24 hours.
  if (command.startsWith("deno ")) writeFileSync(join(folder, "deno.json"), '{ "minimumDependencyAge": 0 }');
  if (command.startsWith("pip ")) {
    run(folder, "python3", "-m", "venv", ".venv");
    return [join(folder, ".venv/bin")];
  }
  if (!command.startsWith("uv")) return [];
  const project = '[project]\nname = "reader"\nversion = "1.0.0"\nrequires-python = ">=3.11"\n';
  writeFileSync(join(folder, "pyproject.toml"), project);
  return [ensureUv()];
}

/** Runs a command as printed. Returns whether it worked. */
function works({ command, packages, page }: InstallCommand, folder: string): boolean {
  const from = performance.now();
  const first = prepare(folder, command);
  const PATH = [...first, process.env.PATH, join(tools, "node_modules/.bin")].join(delimiter);
  const cwd = packages.some((name) => name.startsWith("./")) ? clone : folder;
  const settings = { cwd, env: { ...process.env, PATH }, encoding: "utf8", timeout: runWithinMs } as const;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], settings);
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  if (status === 0) console.log(`  ok      ${command}   (${page}, ${seconds} s)`);
  else console.log(`  failed  ${command}   (${page})\n${stdout}${stderr}`);
  return status === 0;
}

using temporary = temporaryFolder("installs");
const failed = installCommands().filter((one, index) => !works(one, join(temporary.path, `${index}`)));
if (failed.length > 0) process.exitCode = 1;
