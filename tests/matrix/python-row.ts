// A row of the matrix for a version of Python: the tests of packages/python.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEnvironment } from "../../scripts/python.ts";
import type { RowResult } from "./node-row.ts";

const folder = fileURLToPath(new URL("../../packages/python", import.meta.url));
/** Prints the version if the interpreter can make virtual environments. */
const probe = "import ensurepip, venv, sys; print('.'.join(map(str, sys.version_info[:3])))";
const program = `
import sys
expected = sys.argv.pop(1)
found = "%d.%d" % sys.version_info[:2]
if found != expected:
    sys.exit(f"This row of the matrix is for Python {expected}, but {found} runs it.")
import pytest
sys.exit(pytest.main(sys.argv[1:]))
`;

/** The command of an interpreter on the PATH or of pyenv; undefined if this machine has none of this version. */
export function findPython(version: string): string | undefined {
  const pyenv = process.env.PYENV_ROOT ?? join(homedir(), ".pyenv");
  const candidates = [
    ...globSync(join(pyenv, "versions", `${version}.*`, "bin", "python")),
    `python${version}`,
    "python3",
  ];
  return candidates.find((command) => {
    const { status, stdout } = spawnSync(command, ["-c", probe], { encoding: "utf8" });
    return status === 0 && stdout.startsWith(`${version}.`);
  });
}

/** The oldest version that packages/python can be installed on. */
const oldest = (): string =>
  /^requires-python = ">=([\d.]+)"$/m.exec(readFileSync(join(folder, "pyproject.toml"), "utf8"))?.[1] ?? "";

/** Runs the tests on this version; undefined if this machine does not have it. */
export async function runPythonRow(version: string): Promise<RowResult | undefined> {
  const minimum = oldest();
  if (version.localeCompare(minimum, "en", { numeric: true }) < 0) {
    const leftOut = [{ what: "all tests", why: `pyproject.toml requires Python >=${minimum}` }];
    return { passed: true, summary: "not supported", leftOut };
  }
  const command = findPython(version);
  if (command === undefined) return undefined;
  const commands = ensureEnvironment(`python-${version}`, join(folder, "requirements.txt"), command);
  const env = { ...process.env, PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1" };
  const words = ["-c", program, version, "-rs", "-p", "no:cacheprovider"];
  const child = spawn(join(commands, "python"), words, { cwd: folder, stdio: ["ignore", "pipe", "inherit"], env });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    process.stdout.write(text);
  });
  const [status] = await once(child, "close");
  const leftOut = [...printed.matchAll(/^SKIPPED \[\d+\] (\S+?)(?::\d+)?: (.+)$/gm)].map(([, what = "", why = ""]) => ({
    what,
    why,
  }));
  const summary = /(\d+ passed.*?)\s*=*\s*$/m.exec(printed)?.[1] ?? "the tests stopped";
  return { passed: status === 0, summary: `${command}: ${summary}`, leftOut };
}
