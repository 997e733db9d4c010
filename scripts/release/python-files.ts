// Builds what PyPI gets: the sdist and the wheel of packages/python, the same bytes on every machine.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packed.ts";
import { ensureEnvironment } from "../python.ts";
import { objectIn } from "./json.ts";
import { notesOf, pythonPackage, pythonVersion } from "./versions.ts";

/** The time of every file in the archives, in seconds since 1970. */
const sourceDate = "1577836800";
const program = `
import sys
import hatchling.build
print(hatchling.build.build_sdist(sys.argv[1]))
print(hatchling.build.build_wheel(sys.argv[1]))
`;
/** What the README in git says until the first release. */
const unreleased = / Nothing is on PyPI yet: [^.]*\./;

/**
 * Builds the sdist and the wheel into a folder, without asking an index. Nothing is written into the workspace.
 *
 * @returns Their names: the sdist, then the wheel.
 * @throws {Error} Says what the build printed, or what this machine lacks.
 */
export function buildPython(workspace: string, folder: string): string[] {
  const home = join(workspace, "packages", "python");
  const commands = ensureEnvironment("python", join(home, "requirements.txt"));
  using staging = temporaryFolder("python-files");
  for (const name of ["src", "pyproject.toml", "LICENSE"])
    cpSync(join(home, name), join(staging.path, name), {
      recursive: true,
      filter: (path) => !path.endsWith("__pycache__"),
    });
  const readme = readFileSync(join(home, "README.md"), "utf8");
  writeFileSync(join(staging.path, "README.md"), readme.replace(unreleased, ""));
  mkdirSync(folder, { recursive: true });
  const env = { ...process.env, SOURCE_DATE_EPOCH: sourceDate, PYTHONDONTWRITEBYTECODE: "1" };
  const settings = { cwd: staging.path, encoding: "utf8", env, stdio: "pipe" } as const;
  return execFileSync(join(commands, "python"), ["-c", program, folder], settings).trim().split("\n");
}

/**
 * Writes the files of the Python client into a release: `python/` with what PyPI gets, its notes, and `python.txt` with a line of
 * the name, the version and the files; the workflow reads it.
 *
 * @throws {Error} if the sources state another version than package.json
 */
export function writePythonFiles(workspace: string, folder: string): string[] {
  const home = join(workspace, "packages", "python");
  const version = String(objectIn(JSON.parse(readFileSync(join(home, "package.json"), "utf8"))).version);
  const files = buildPython(workspace, join(folder, "python"));
  const stated = pythonVersion(version);
  if (!files.includes(`call_transfer-${stated}.tar.gz`))
    throw new Error(`packages/python is ${version}, but was built as ${files.join(", ")}. Run \`npm run generate\`.`);
  const changelog = join(home, "CHANGELOG.md");
  const notes = existsSync(changelog) ? notesOf(readFileSync(changelog, "utf8"), version) : "";
  writeFileSync(join(folder, "python.md"), `${notes || `call-transfer ${stated} for Python`}\n`);
  writeFileSync(join(folder, "python.txt"), `${pythonPackage} ${version} ${files.join(" ")}\n`);
  return files;
}
