// Compares the contract and the public types with the last release in git. Fails when the pending changesets are too small
// for what changed. `--write` writes missing changesets and the api.d.ts reports; `--record` records the release.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { withWorkspaceVersions } from "../../tests/packages/lockfile.ts";
import { loadDocument } from "../generate/document.ts";
import {
  type Baseline,
  baselineOf,
  contractFile,
  objectsNow,
  type ReleaseRecord,
  recordFile,
  recordIn,
  suiteFolder,
  surfaceFile,
} from "./baseline.ts";
import { merged } from "./change.ts";
import { changesetsIn, fixedGroupsIn, GateError, writeChangeset } from "./changesets.ts";
import { compareContracts } from "./compare/contracts.ts";
import { type Package, packagesIn, surfacesOf } from "./compare/surface.ts";
import { compareSurfaces } from "./compare/surfaces.ts";
import { checkFiles } from "./earlier-cases.ts";
import { isEqual, type JsonObject, objectIn } from "./json.ts";
import {
  changesetFor,
  explain,
  type Moved,
  movedFrom,
  recordProblems,
  type Shortfall,
  shortfallsOf,
} from "./verdict.ts";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");
const at = (...path: string[]): string => join(root, ...path);
const read = (...path: string[]): string => readFileSync(at(...path), "utf8");
const changesetFolder = at(".changeset");

const behind = "The generated files are out of date. Run `npm run generate`.";

/** The document in openapi/. */
async function contract(): Promise<JsonObject> {
  try {
    return objectIn(await loadDocument());
  } catch (error) {
    throw new GateError(`openapi/ cannot be read: ${(error as Error).message}`);
  }
}

/** The generated document; undefined if it cannot be read. */
function generated(): unknown {
  try {
    return JSON.parse(read(contractFile));
  } catch {
    return undefined;
  }
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(at("tsconfig.base.json"), ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent({ ...objectIn(config), files: [] }, ts.sys, root);
  return { ...options, types: ["node"] };
}

/** Public types that differ from the committed report, by the path of the report. */
function staleSurfaces(surfaces: ReadonlyMap<string, string>): Map<string, string> {
  const reports = [...surfaces].map(([name, text]): [string, string] => [surfaceFile(name), text]);
  return new Map(
    reports.filter(([path, text]) => !existsSync(at(path)) || read(path).replaceAll("\r\n", "\n") !== text),
  );
}

function writeSurfaces(surfaces: ReadonlyMap<string, string>): void {
  for (const [path, text] of staleSurfaces(surfaces)) {
    writeFileSync(at(path), text);
    console.log(`wrote ${path}`);
  }
}

/** Changes since the last release for each group of packages that move together. */
function movedSince(
  baseline: Baseline,
  packages: readonly Package[],
  document: JsonObject,
  surfaces: ReadonlyMap<string, string>,
): Moved[] {
  const contract = compareContracts(objectIn(JSON.parse(baseline.read(contractFile)) as unknown), document);
  const uncompiled = checkFiles(baseline.filesIn(suiteFolder), `${suiteFolder}/index.ts`, root, compilerOptions());
  const ownOf = (name: string) => compareSurfaces(baseline.read(surfaceFile(name)), surfaces.get(name) ?? "");
  const fixed = fixedGroupsIn(changesetFolder);
  const alone = packages.filter(({ name }) => !fixed.some((group) => group.includes(name))).map(({ name }) => [name]);
  return [...fixed, ...alone].map((names) => {
    // Packages that contain the contract move with it. The others move by their own public types.
    const describes = packages.some(
      ({ name, folder }) => names.includes(name) && existsSync(join(folder, "openapi.json")),
    );
    const own = names.flatMap(ownOf);
    return { names, changes: merged(describes ? [...contract, ...own, ...uncompiled] : own) };
  });
}

function writeMissing(shortfall: Shortfall): void {
  const wanted = `${shortfall.needed}-${basename(shortfall.names.at(-1) ?? "")}`;
  const id = writeChangeset(changesetFolder, wanted, changesetFor(shortfall));
  console.log(`wrote .changeset/${id}.md. Replace its text: say what the change means to users.`);
}

async function check(packages: readonly Package[], write: boolean): Promise<boolean> {
  const baseline = baselineOf(root);
  const { record } = baseline;
  const pending = changesetsIn(changesetFolder);
  const problems = recordProblems(packages, pending, record);
  const document = await contract();
  if (!isEqual(document, generated())) problems.push(behind);
  const surfaces = surfacesOf(packages, compilerOptions());
  if (write) writeSurfaces(surfaces);
  const stale = [...staleSurfaces(surfaces).keys()];
  if (stale.length > 0) {
    problems.push(`${stale.join(", ")}: out of date. Run \`npm run release:check -- --write\` and commit the result.`);
  }
  const moved = movedSince(baseline, packages, document, surfaces);
  const shortfalls = shortfallsOf(moved, pending, record);
  for (const problem of problems) console.error(`${problem}\n`);
  for (const shortfall of shortfalls) {
    if (write) writeMissing(shortfall);
    else console.error(`${explain(shortfall)}\n`);
  }
  if (problems.length === 0 && shortfalls.length === 0) {
    const since = record.bootstrap ? `the state that ${record.bootstrap.version} starts from` : "the last release";
    const count = moved.reduce((sum, { changes }) => sum + changes.length, 0);
    console.log(`${count} changes since ${since}, covered by ${pending.length} pending changesets`);
  }
  return problems.length === 0 && (write || shortfalls.length === 0);
}

/** Records the current state as the last release. Fails while changesets are pending. */
async function recordState(packages: readonly Package[]): Promise<boolean> {
  const last = recordIn(root);
  const versions = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const moved = movedFrom(packages, last).length > 0;
  const pending = changesetsIn(changesetFolder).filter(({ id }) => moved || id !== last.bootstrap?.changeset);
  if (pending.length > 0) {
    console.error(
      `Not recorded: ${pending.map(({ id }) => `.changeset/${id}.md`).join(", ")} is pending. Run \`npm run release:version\`.`,
    );
    return false;
  }
  if (!moved && !last.bootstrap) {
    console.error("Not recorded: no version moved since the last release. Run `npm run release:version`.");
    return false;
  }
  if (!isEqual(await contract(), generated())) {
    console.error(`Not recorded: ${behind}`);
    return false;
  }
  writeSurfaces(surfacesOf(packages, compilerOptions()));
  const objects = objectsNow(root, versions);
  const record: ReleaseRecord = { versions, objects, ...(!moved && last.bootstrap && { bootstrap: last.bootstrap }) };
  writeFileSync(at(recordFile), `${JSON.stringify(record, null, 2)}\n`);
  writeFileSync(
    at("package-lock.json"),
    withWorkspaceVersions(read("package-lock.json"), (path) => read(path, "package.json")),
  );
  const named = Object.entries(versions).map((entry) => entry.join(" "));
  console.log(`Recorded ${named.join(", ")} in ${recordFile}. Commit it together with all other changes.`);
  return true;
}

// Private packages are not published, so their versions promise nothing.
const packages = packagesIn(at("packages")).filter(({ isPrivate }) => !isPrivate);
try {
  const good = process.argv.includes("--record")
    ? await recordState(packages)
    : await check(packages, process.argv.includes("--write"));
  if (!good) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof GateError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
