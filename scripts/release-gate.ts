// Compares the contract and the public types with the last release (releases/) and fails when the pending changesets carry
// less than what changed. `--write` writes the missing changesets; `--record` keeps the present state as the last release.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { loadDocument } from "./generate/document.ts";
import { type Change, gathered } from "./release/change.ts";
import { changesetsIn, fixedGroupsIn, Unreadable, writeChangeset } from "./release/changesets.ts";
import { compareContracts } from "./release/compare-contracts.ts";
import { compareSurfaces } from "./release/compare-surfaces.ts";
import { checkFiles, filesFrom } from "./release/earlier-cases.ts";
import { isEqual, type JsonObject, objectIn } from "./release/json.ts";
import { withWorkspaceVersions } from "./release/lockfile.ts";
import { type Package, packagesIn, surfacesOf } from "./release/surface.ts";
import {
  changesetFor,
  digestOf,
  type Moved,
  movedFrom,
  type ReleaseRecord,
  recordIn,
  recordProblems,
  sentenceFor,
  shortfallsOf,
} from "./release/verdict.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const at = (...path: string[]): string => join(root, ...path);
const read = (...path: string[]): string => readFileSync(at(...path), "utf8");

function readJson(...path: string[]): JsonObject {
  try {
    return objectIn(JSON.parse(read(...path)) as unknown);
  } catch (error) {
    const mend = path[0] === "releases" ? bringBack : "Run `npm run generate`, which writes it.";
    throw new Unreadable(`${join(...path)} cannot be read: ${(error as Error).message}\n${mend}`);
  }
}

const bringBack =
  "To bring the record of the last release back: " +
  "git restore --source=$(git log -1 --format=%H -- releases/release.json) releases";

/** What releases/ keeps of the last release, by path; release.json says what it should be. */
function keptFiles(): Map<string, string> {
  const paths = readdirSync(at("releases"), { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(at("releases"), join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  const kept = paths.filter((path) => path !== "README.md" && path !== "release.json");
  return new Map(kept.map((path) => [path, read("releases", path)]));
}

/** The document that openapi/ holds. */
async function contract(): Promise<JsonObject> {
  try {
    return objectIn(await loadDocument());
  } catch (error) {
    throw new Unreadable(`openapi/ cannot be read: ${(error as Error).message}`);
  }
}

const changesetFolder = at(".changeset");
const suite = at("packages/contract/src/index.ts");
const surfaceFile = ({ folder }: Package): string => join("releases", "surfaces", `${basename(folder)}.d.ts`);

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(at("tsconfig.base.json"), ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent({ ...objectIn(config), files: [] }, ts.sys, root);
  return { ...options, types: ["node"] };
}

/** What changed since the last release, for each group of packages that move together. */
function movedSince(
  packages: readonly Package[],
  document: JsonObject,
  surfaces: ReadonlyMap<string, string>,
): Moved[] {
  const contract = compareContracts(readJson("releases", "contract.json"), document);
  const cases = readdirSync(at("releases/cases"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => at("releases/cases", name));
  const uncompiled = checkFiles(cases, suite, compilerOptions());
  const ofPackage = new Map(
    packages.map((each): [string, Change[]] => {
      const kept = surfaceFile(each);
      // A package that is new has no surface yet; that none was lost is seen to by the digest.
      const before = existsSync(at(kept)) ? read(kept) : "";
      return [each.name, compareSurfaces(before, surfaces.get(each.name) ?? "")];
    }),
  );
  const fixed = fixedGroupsIn(changesetFolder);
  const alone = packages.filter(({ name }) => !fixed.some((group) => group.includes(name))).map(({ name }) => [name]);
  return [...fixed, ...alone].map((names) => {
    // Whoever describes the contract moves with it; the others move by what they offer themselves.
    const describes = packages.some(
      ({ name, folder }) => names.includes(name) && existsSync(join(folder, "openapi.json")),
    );
    const own = names.flatMap((name) => ofPackage.get(name) ?? []);
    return { names, changes: gathered(describes ? [...contract, ...own, ...uncompiled] : own) };
  });
}

async function check(packages: readonly Package[], write: boolean): Promise<boolean> {
  const record = recordIn(readJson("releases", "release.json"));
  if (record.digest !== digestOf(keptFiles())) {
    console.error(
      "releases/ is not what the last release recorded: a file was edited, added or lost, so nothing can be compared " +
        `with it.\n${bringBack}`,
    );
    return false;
  }
  const pending = changesetsIn(changesetFolder);
  const problems = recordProblems(packages, pending, record);
  const document = await contract();
  if (!isEqual(document, readJson("packages", "spec", "openapi.json"))) {
    problems.push("The generated files are behind openapi/. Run `npm run generate`.");
  }
  const moved = movedSince(packages, document, surfacesOf(packages, compilerOptions()));
  const shortfalls = shortfallsOf(moved, pending, record);
  for (const problem of problems) console.error(`${problem}\n`);
  for (const shortfall of shortfalls) {
    if (!write) {
      console.error(`${sentenceFor(shortfall)}\n`);
      continue;
    }
    const wanted = `${shortfall.needed}-${basename(shortfall.names.at(-1) ?? "")}`;
    const id = writeChangeset(changesetFolder, wanted, changesetFor(shortfall));
    console.log(`wrote .changeset/${id}.md. Say in it, in your own words, what the change means to users.`);
  }
  const good = problems.length === 0 && (write || shortfalls.length === 0);
  if (good && shortfalls.length === 0) {
    const since = record.bootstrap ? `the state that ${record.bootstrap.version} begins with` : "the last release";
    const count = moved.reduce((sum, { changes }) => sum + changes.length, 0);
    console.log(`changes since ${since}: ${count}; pending changesets, which carry them: ${pending.length}`);
  }
  return good;
}

/** Keeps the present state as the last release. Refused while changesets are pending, since they are not released yet. */
function keep(packages: readonly Package[]): boolean {
  const last = recordIn(readJson("releases", "release.json"));
  const versions = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const moved = movedFrom(packages, last).length > 0;
  const pending = changesetsIn(changesetFolder).filter(({ id }) => moved || id !== last.bootstrap?.changeset);
  if (pending.length > 0) {
    console.error(`Not recorded: ${pending.map(({ id }) => `.changeset/${id}.md`).join(", ")} is not released yet.`);
    return false;
  }
  if (!moved && !last.bootstrap) {
    console.error("Not recorded: no version moved since the last release. Run `npm run release:version`.");
    return false;
  }
  rmSync(at("releases/surfaces"), { recursive: true, force: true });
  rmSync(at("releases/cases"), { recursive: true, force: true });
  for (const folder of ["releases/surfaces", "releases/cases"]) mkdirSync(at(folder), { recursive: true });
  const surfaces = surfacesOf(packages, compilerOptions());
  for (const each of packages) writeFileSync(at(surfaceFile(each)), surfaces.get(each.name) ?? "");
  for (const [path, text] of filesFrom(suite)) {
    const kept = at("releases/cases", relative(dirname(suite), path));
    mkdirSync(dirname(kept), { recursive: true });
    writeFileSync(kept, text);
  }
  writeFileSync(at("releases/contract.json"), read("packages/spec/openapi.json"));
  const digest = digestOf(keptFiles());
  const record: ReleaseRecord =
    moved || !last.bootstrap ? { versions, digest } : { versions, digest, bootstrap: last.bootstrap };
  writeFileSync(at("releases/release.json"), `${JSON.stringify(record, null, 2)}\n`);
  writeFileSync(
    at("package-lock.json"),
    withWorkspaceVersions(read("package-lock.json"), (path) => read(path, "package.json")),
  );
  console.log(
    `releases/ holds ${Object.entries(versions)
      .map((entry) => entry.join(" "))
      .join(", ")}`,
  );
  return true;
}

// A private package is nobody's dependency, so no version of it promises anything.
const packages = packagesIn(at("packages")).filter(({ isPrivate }) => !isPrivate);
try {
  const good = process.argv.includes("--record")
    ? keep(packages)
    : await check(packages, process.argv.includes("--write"));
  if (!good) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof Unreadable)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
