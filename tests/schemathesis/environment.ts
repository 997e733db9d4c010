// The virtual environment that holds Schemathesis, in .cache/.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/packed.ts";

const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));
const cache = fileURLToPath(new URL("../../.cache/schemathesis", import.meta.url));
const [program, oldest] = ["python3", "3.11"];
/** Fails where Debian's python3-venv is missing. */
const probe = "import ensurepip, venv, sys; print('.'.join(map(str, sys.version_info[:3])))";

/** The version of this machine's Python; undefined if it is missing, older, or cannot make virtual environments. */
function pythonVersion(): string | undefined {
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
 * Installs Schemathesis, unless the cache has it, and returns the path of its command.
 *
 * @throws {Error} Says what pip printed, or what this machine lacks.
 */
export function ensureSchemathesis(): string {
  const version = pythonVersion();
  if (version === undefined) throw new Error(missingPython());
  const digest = createHash("sha256").update(version).update(readFileSync(requirements)).digest("hex");
  const folder = join(cache, digest.slice(0, 16));
  const command = join(folder, "bin", "schemathesis");
  const complete = join(folder, "complete");
  if (existsSync(complete)) return command;
  // What an interrupted install left behind, and what older versions needed.
  rmSync(cache, { recursive: true, force: true });
  run(".", program, "-m", "venv", folder);
  const options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "--no-deps", "--only-binary=:all:"];
  run(".", join(folder, "bin", "python"), "-m", "pip", "install", ...options, "-r", requirements);
  writeFileSync(complete, "");
  return command;
}
