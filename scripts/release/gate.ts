// Compares the contracts, public types, manifests, commands, promises, the Python client, vectors and schemas with the last release in
// git. Fails when the pending changesets are too small for what changed. `--write` writes missing changesets, and the reports api.d.ts, command.json and promises.json;
// `--reports` does so with the reports alone; `--record` records the release.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  baselineOf,
  objectsNow,
  promisesFile,
  type ReleaseRecord,
  recordFile,
  recordIn,
  suiteFolder,
} from "./baseline.ts";
import { missingTexts } from "./changelogs.ts";
import { changesetsIn, GateError, writeChangeset } from "./changesets.ts";
import { changesAtCommits } from "./changesets-in-git.ts";
import { changedMigrations } from "./compare/promises.ts";
import { type Package, packagesIn } from "./compare/surface.ts";
import { recordCompatibility } from "./compatibility.ts";
import { checkFiles } from "./earlier-cases.ts";
import { objectIn } from "./json.ts";
import { withWorkspaceVersions } from "./lockfile.ts";
import { movedSince, type Read } from "./moved.ts";
import { compilerOptions, type Present, presentState, staleReports, writeReports } from "./present.ts";
import { tagProblem } from "./python-package.ts";
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

const behind = "The generated files are out of date. Run `npm run record`.";

function reportProblems(present: Present): string[] {
  const stale = staleReports(root, present);
  return stale.length === 0 ? [] : [`${stale.join(", ")}: out of date. Run \`npm run record\` and commit the result.`];
}

/** Problems of the prereleases that the pending changesets become, if `npx changeset pre enter` was run. */
function prereleaseProblems(): string[] {
  const path = join(changesetFolder, "pre.json");
  if (!existsSync(path)) return [];
  const { mode, tag } = objectIn(JSON.parse(readFileSync(path, "utf8")) as unknown);
  return mode === "pre" ? [tagProblem(String(tag))].filter((problem) => problem !== undefined) : [];
}

/** Writes or compares the reports of the public types, commands and promises. */
async function record(packages: readonly Package[], write: boolean): Promise<boolean> {
  const present = await presentState(root, packages);
  if (write) writeReports(root, present);
  const problems = reportProblems(present);
  for (const problem of problems) console.error(problem);
  return problems.length === 0;
}

function writeMissing(shortfall: Shortfall): void {
  const wanted = `${shortfall.needed}-${basename(shortfall.name)}`;
  const id = writeChangeset(changesetFolder, wanted, changesetFor(shortfall));
  console.log(`wrote .changeset/${id}.md. Replace its text: say what the change means to users.`);
}

async function check(packages: readonly Package[], write: boolean): Promise<boolean> {
  const baseline = baselineOf(root);
  const { record } = baseline;
  const pending = changesetsIn(changesetFolder);
  const names = packages.map(({ name }) => name);
  const problems = [...recordProblems(packages, pending, record), ...prereleaseProblems()];
  if (record.bootstrap) problems.push(...missingTexts(root, names));
  const [present, uncompiled] = await Promise.all([
    presentState(root, packages),
    checkFiles(baseline.filesIn(suiteFolder), `${suiteFolder}/index.ts`, root, compilerOptions(root)),
  ]);
  if (!present.isGenerated) problems.push(behind);
  for (const file of packages.map(({ name }) => promisesFile(name)))
    problems.push(...changedMigrations(baseline.read(file), present.texts.get(file) ?? ""));
  if (write) writeReports(root, present);
  problems.push(...reportProblems(present));
  const changesIn = (is: Read): Moved[] => movedSince(baseline.read, is, names, uncompiled);
  const moved = changesIn((path) => present.texts.get(path) ?? "");
  // Until the first release, changesets cover what their bump allows.
  const changesAt = record.bootstrap ? undefined : changesAtCommits(root, changesIn);
  const shortfalls = shortfallsOf(moved, pending, record, changesAt);
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
      `Not recorded: ${pending.map(({ id }) => `.changeset/${id}.md`).join(", ")} is pending. Run \`npm run release -- version\`.`,
    );
    return false;
  }
  if (!moved && !last.bootstrap) {
    console.error("Not recorded: no version moved since the last release. Run `npm run release -- version`.");
    return false;
  }
  const present = await presentState(root, packages);
  if (!present.isGenerated) {
    console.error(`Not recorded: ${behind}`);
    return false;
  }
  writeReports(root, present);
  const objects = objectsNow(root, versions);
  const record: ReleaseRecord = { versions, objects, ...(!moved && last.bootstrap && { bootstrap: last.bootstrap }) };
  writeFileSync(at(recordFile), `${JSON.stringify(record, null, 2)}\n`);
  if (moved) recordCompatibility(root, versions);
  writeFileSync(
    at("package-lock.json"),
    withWorkspaceVersions(read("package-lock.json"), (path) => read(path, "package.json")),
  );
  const named = Object.entries(versions).map((entry) => entry.join(" "));
  console.log(`Recorded ${named.join(", ")} in ${recordFile}. Commit it together with all other changes.`);
  return true;
}

// Other packages are not published, so their versions promise nothing.
const packages = packagesIn(at("packages")).filter(({ isReleased }) => isReleased);
try {
  const has = (option: string): boolean => process.argv.includes(option);
  const good = has("--record")
    ? await recordState(packages)
    : await (has("--reports") ? record : check)(packages, has("--write"));
  if (!good) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof GateError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
