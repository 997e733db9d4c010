// Writes the files of a release: a tarball and notes for each package, what PyPI gets, a bill of materials of what customers install,
// and `order.txt`, which lists the tarballs in the order to publish them. As a command it takes a new folder, and requires built
// packages and Python with venv.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { run, temporaryFolder } from "../packed.ts";
import { ensureEnvironment } from "../python.ts";
import { writeTarballs } from "../tarballs.ts";
import { objectIn } from "./json.ts";
import { type Package, packagesIn } from "./surface.ts";
import { notesOf, pythonPackage, pythonVersion } from "./versions.ts";

export interface ReleaseFile {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
}

/** Packages, each after those that it needs. */
function inOrder(packages: readonly Package[]): Package[] {
  const ordered = new Set<Package>();
  const add = (one: Package): void => {
    for (const name of needsOf(one)) for (const other of packages) if (other.name === name) add(other);
    ordered.add(one);
  };
  for (const one of packages) add(one);
  return [...ordered];
}

const needsOf = ({ folder }: Package): string[] =>
  Object.keys(
    objectIn(objectIn(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as unknown).dependencies),
  );

/** Writes what the changelog of a package says of a version, or a text in its place. */
function writeNotes(path: string, home: string, version: string, otherwise: string): void {
  const changelog = join(home, "CHANGELOG.md");
  const notes = existsSync(changelog) ? notesOf(readFileSync(changelog, "utf8"), version) : "";
  writeFileSync(path, `${notes || otherwise}\n`);
}

/** Packs every public package of a built workspace into a folder, with notes for each. */
export function packInto(workspace: string, folder: string): ReleaseFile[] {
  mkdirSync(folder, { recursive: true });
  const packages = inOrder(packagesIn(join(workspace, "packages"))).filter(({ isPrivate }) => !isPrivate);
  const folders = packages.map((each) => basename(each.folder));
  const tarballs = writeTarballs(workspace, folders, folder);
  return packages.map((each): ReleaseFile => {
    const tarball = tarballs[each.name];
    if (tarball === undefined) throw new Error(`npm pack wrote no tarball for ${each.name}.`);
    writeNotes(join(folder, `${tarball}.md`), each.folder, each.version, `${each.name} ${each.version}`);
    return { name: each.name, version: each.version, tarball };
  });
}

/** Writes all files of a release into a folder. */
export function writeReleaseFiles(workspace: string, folder: string): ReleaseFile[] {
  const files = packInto(workspace, folder);
  writeFileSync(
    join(folder, "order.txt"),
    files.map(({ name, version, tarball }) => `${name} ${version} ${tarball}\n`).join(""),
  );
  writeFileSync(join(folder, "sbom.cdx.json"), billOfMaterials(folder, files));
  return files;
}

/** A CycloneDX bill of materials of an installation of the tarballs. */
function billOfMaterials(folder: string, files: readonly ReleaseFile[]): string {
  const project = join(folder, "installed");
  mkdirSync(project);
  try {
    const dependencies = Object.fromEntries(files.map(({ name, tarball }) => [name, `file:../${tarball}`]));
    writeFileSync(
      join(project, "package.json"),
      JSON.stringify({ name: "release", version: "0.0.0", private: true, dependencies }),
    );
    run(project, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline");
    const bill = run(project, "npm", "sbom", "--sbom-format", "cyclonedx");
    // The published bill must not contain paths of this machine.
    return bill.replaceAll(`file:${folder}/`, "");
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

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
  writeNotes(join(folder, "python.md"), home, version, `call-transfer ${stated} for Python`);
  writeFileSync(join(folder, "python.txt"), `${pythonPackage} ${version} ${files.join(" ")}\n`);
  return files;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (!folder || existsSync(folder)) {
    console.error("The folder is missing or already exists. Name a new folder: npm run release -- pack packed");
    process.exitCode = 2;
  } else {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    for (const { name, version, tarball } of writeReleaseFiles(root, resolve(folder)))
      console.log(`${name} ${version}: ${tarball}`);
    console.log(`Python: ${writePythonFiles(root, resolve(folder)).join(", ")}`);
  }
}
