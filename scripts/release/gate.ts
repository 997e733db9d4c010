// Compares the contract and every other record with the last release in git. Fails when the pending changesets are too small for
// what changed. `--write` writes missing changesets and the reports api.d.ts, command.json and promises.json; `--reports` compares
// or writes the reports alone; `--record` records the release.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  changesetFor,
  changesetProblems,
  changesetsIn,
  explain,
  GateError,
  type Shortfall,
  shortfallsOf,
  writeChangeset,
} from "./changesets.ts";
import { isObject, type JsonObject, objectIn } from "./json.ts";
import { baselineOf, recordedIn, recordFile, recordRelease, suiteFolder, writeCompatibility } from "./record.ts";
import { compilerOptions, movedSince, presentState, staleReports, writeReports } from "./state.ts";
import { checkSuite, type Package, packagesIn } from "./surface.ts";

const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");
const at = (...path: string[]): string => join(root, ...path);
const changesetFolder = at(".changeset");
const jsonIn = (text: string) => objectIn(text === "" ? {} : (JSON.parse(text) as unknown));

/** Writes or compares the reports. Returns whether they are up to date. */
async function checkReports(packages: readonly Package[], write: boolean): Promise<boolean> {
  const present = await presentState(root, packages);
  if (write) writeReports(root, present);
  const stale = staleReports(root, present);
  if (stale.length > 0) console.error(outdated(stale));
  return stale.length === 0;
}

const outdated = (paths: readonly string[]): string =>
  `${paths.join(", ")}: out of date. Run \`npm run record\` and commit the result.`;

function writeMissing(shortfall: Shortfall): void {
  const wanted = `${shortfall.needed}-${basename(shortfall.name)}`;
  const id = writeChangeset(changesetFolder, wanted, changesetFor(shortfall));
  console.log(`wrote .changeset/${id}.md. Replace its text: say what the change means to users.`);
}

async function check(packages: readonly Package[], write: boolean): Promise<boolean> {
  const { release, read } = baselineOf(root);
  const pending = changesetsIn(changesetFolder);
  const suite = Object.entries(jsonIn(read(suiteFolder))).map(([path, text]) => [path, String(text)] as const);
  // The entry comes first.
  const entries = new Map(suite.sort(([path]) => (path === `${suiteFolder}/index.ts` ? -1 : 1)));
  const [present, uncompiled] = await Promise.all([
    presentState(root, packages),
    checkSuite(entries, packagesIn(at("packages")), root, compilerOptions(root)),
  ]);
  const moved = movedSince(read, present.read, packages, pending, uncompiled);
  const problems = changesetProblems(moved, pending, release.versions);
  if (!present.isGenerated) problems.push("The generated files are out of date. Run `npm run record`.");
  if (write) writeReports(root, present);
  const stale = staleReports(root, present);
  if (stale.length > 0) problems.push(outdated(stale));
  const shortfalls = shortfallsOf(moved, pending);
  for (const problem of problems) console.error(`${problem}\n`);
  for (const shortfall of shortfalls) {
    if (write) writeMissing(shortfall);
    else console.error(`${explain(shortfall)}\n`);
  }
  if (problems.length === 0 && shortfalls.length === 0) {
    const count = moved.reduce((sum, { changes }) => sum + changes.length, 0);
    console.log(`${count} changes since the last release, covered by ${pending.length} pending changesets`);
  }
  return problems.length === 0 && (write || shortfalls.length === 0);
}

/** Records the current state as a release. Fails while changesets are pending. */
async function record(packages: readonly Package[]): Promise<boolean> {
  recordedIn(root);
  const [pending] = changesetsIn(changesetFolder);
  if (pending !== undefined) {
    console.error(`Not recorded: .changeset/${pending.id}.md is pending. Run \`npm run release -- version\`.`);
    return false;
  }
  const present = await presentState(root, packages);
  if (!present.isGenerated) {
    console.error("Not recorded: the generated files are out of date. Run `npm run record`.");
    return false;
  }
  writeReports(root, present);
  const versions = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  writeCompatibility(root, recordRelease(root, versions));
  writeVersionsOfWorkspace(at("package-lock.json"));
  const named = Object.entries(versions).map((entry) => entry.join(" "));
  console.log(`Recorded ${named.join(", ")} in ${recordFile}. Commit it together with all other changes.`);
  return true;
}

const carried = ["version", "dependencies", "devDependencies", "peerDependencies"];

/** Updates the entries of the workspace's packages in a lockfile. A release changes only these, so npm does not have to resolve anything. */
function writeVersionsOfWorkspace(path: string): void {
  const whole = jsonIn(readFileSync(path, "utf8"));
  const updated = (folder: string, entry: JsonObject): JsonObject => {
    const description = jsonIn(readFileSync(at(folder, "package.json"), "utf8"));
    const values = Object.entries(entry).map(([key, value]) => [key, carried.includes(key) ? description[key] : value]);
    return Object.fromEntries(values);
  };
  const packages = Object.entries(objectIn(whole.packages)).map(([folder, entry]) => {
    const isOurs = folder.startsWith("packages/") && !folder.includes("node_modules") && isObject(entry);
    return [folder, isOurs ? updated(folder, entry) : entry];
  });
  writeFileSync(path, `${JSON.stringify({ ...whole, packages: Object.fromEntries(packages) }, null, 2)}\n`);
}

// Other packages are not published, so their versions promise nothing.
const packages = packagesIn(at("packages")).filter(({ isReleased }) => isReleased);
try {
  const has = (option: string): boolean => process.argv.includes(option);
  const isGood = has("--record")
    ? await record(packages)
    : await (has("--reports") ? checkReports : check)(packages, has("--write"));
  if (!isGood) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof GateError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
