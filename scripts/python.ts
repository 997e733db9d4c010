// Virtual environments of Python for checks, in .cache/.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOnce } from "./made.ts";
import { run } from "./packed.ts";

const caches = fileURLToPath(new URL("../.cache", import.meta.url));
/**
 * Variables for Python. It keeps what it has compiled outside of the sources and environments: compiling the client and what it
 * needs takes half of a start, and checks start it some two hundred times. An empty text turns the variable off.
 */
export const keepBytecode = {
  PYTHONPYCACHEPREFIX: join(caches, "python-bytecode"),
  PYTHONDONTWRITEBYTECODE: "",
} as const;
const [usual, oldest] = ["python3", "3.11"];
/** Fails where Debian's python3-venv is missing. */
const probe = "import ensurepip, venv, sys; print('.'.join(map(str, sys.version_info[:3])))";

/** The version of an interpreter, by default this machine's; undefined if it is missing, older, or cannot make virtual environments. */
function pythonVersion(program = usual): string | undefined {
  const { status, stdout } = spawnSync(program, ["-c", probe], { encoding: "utf8" });
  if (status !== 0) return undefined;
  const version = stdout.trim();
  return version.localeCompare(oldest, "en", { numeric: true }) >= 0 ? version : undefined;
}

/** What this machine must have; undefined if it has it. */
export const missingPython = (): string | undefined =>
  pythonVersion() === undefined
    ? `This machine has no Python ${oldest} or newer with the module venv. Install python3 and python3-venv.`
    : undefined;

/**
 * Installs what a file of requirements with hashes names, unless the cache has it. Checks that run side by side wait for the one
 * that installs. Returns the folder of its commands.
 *
 * @param program The interpreter; by default `python3`.
 * @throws {Error} Says what pip printed, or what this machine lacks.
 */
export function ensureEnvironment(name: string, requirements: string, program = usual): string {
  const version = pythonVersion(program);
  if (version === undefined) throw new Error(missingPython());
  const digest = createHash("sha256").update(version).update(readFileSync(requirements)).digest("hex");
  const cache = join(caches, name);
  const folder = join(cache, digest.slice(0, 16));
  const complete = join(folder, "complete");
  const commands = join(folder, "bin");
  const options = [
    "--quiet",
    "--disable-pip-version-check",
    "--no-compile",
    "--require-hashes",
    "--no-deps",
    "--only-binary=:all:",
  ];
  const install = (): void => {
    // What an interrupted install left behind, and what older versions needed.
    rmSync(cache, { recursive: true, force: true });
    run(".", program, "-m", "venv", folder);
    run(".", join(commands, "python"), "-m", "pip", "install", ...options, "-r", requirements);
    writeFileSync(complete, "");
  };
  makeOnce(`${cache}.lock`, () => existsSync(complete), install);
  return commands;
}
