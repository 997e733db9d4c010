// Corrects the newest entry of each changelog after `changeset version` has written it. In the first release, the entry is the
// text written by hand instead of all changesets. Later, a package that only follows others gets a line that says which.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { manifestFile, type ReleaseRecord, recordIn } from "./baseline.ts";
import { packagesIn } from "./compare/surface.ts";
import { takenIn } from "./follow.ts";
import { objectIn } from "./json.ts";
import type { Versioned } from "./verdict.ts";

const spec = "@call-transfer/spec";

/** The heading above the text written by hand. */
const firstHeading = "## The first release";

/** The whole entry that changesets writes if no changeset has a text for the package. */
const emptyEntry = "No changes in this release.";

const changelogFile = (name: string): string => manifestFile(name).replace("package.json", "CHANGELOG.md");

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** The text written by hand for the first release; empty if there is none. */
export const firstText = (changelog: string): string => changelog.split(`\n${firstHeading}\n`)[1]?.trim() ?? "";

/** The changelog of a first release: its title, and the text written by hand as the entry of the version. */
const firstChangelog = (changelog: string, version: string): string =>
  `${changelog.split("\n", 1)[0]}\n\n## ${version}\n\n${firstText(changelog)}\n`;

/** Public packages without a text for the first release, each with what to write. */
export const missingTexts = (root: string, names: readonly string[]): string[] =>
  names
    .map(changelogFile)
    .filter((file) => firstText(textOf(join(root, file))) === "")
    .map((file) => `${file} has no text for the first release. Write it below the heading \`${firstHeading}\`.`);

/**
 * What an entry says of other packages: which contract the package covers, or whose files it takes in. If nothing of its own
 * changed, also which packages it requires.
 *
 * @param moved The new versions of the packages that moved, by name
 * @param needs The dependencies of the package
 */
function sentenceOf(
  name: string,
  moved: ReadonlyMap<string, string>,
  needs: readonly string[],
  { movesContract, isEmpty }: { readonly movesContract: boolean; readonly isEmpty: boolean },
): string {
  const listed = (names: readonly string[]): string =>
    names.flatMap((each) => (moved.has(each) ? [`\`${each}\` ${moved.get(each)}`] : [])).join(" and ");
  if (movesContract && name !== spec) return `Covers contract ${moved.get(spec)}.`;
  const taken = listed(takenIn[name] ?? []);
  if (taken !== "") return `Takes in ${taken}.`;
  const required = listed(needs);
  return isEmpty && required !== "" ? `Requires ${required}.` : "";
}

/** Whether a version is another minor or major. */
const isFurther = (before: string, after: string): boolean =>
  before.split(".", 2).join() !== after.split(".", 2).join();

/** The changelog of a later release: its newest entry begins with what it says of other packages. */
function laterChangelog(changelog: string, version: string, sentence: (isEmpty: boolean) => string): string {
  const heading = `## ${version}\n\n`;
  const found = changelog.indexOf(heading);
  if (found < 0) return changelog;
  const start = found + heading.length;
  const isEmpty = changelog.startsWith(emptyEntry, start);
  const first = sentence(isEmpty);
  if (first === "") return changelog;
  const rest = isEmpty ? changelog.slice(start + emptyEntry.length) : `\n\n${changelog.slice(start)}`;
  return changelog.slice(0, start) + first + rest;
}

/** Corrects the newest entries in a workspace whose versions have just moved. */
export function correctChangelogs(root: string, record: ReleaseRecord): void {
  const packages: readonly Versioned[] = packagesIn(join(root, "packages")).filter(({ isReleased }) => isReleased);
  const moved = new Map(
    packages.flatMap(({ name, version }) => (version === record.versions[name] ? [] : [[name, version] as const])),
  );
  const contract = moved.get(spec);
  const movesContract = contract !== undefined && isFurther(record.versions[spec] ?? "", contract);
  for (const { name, version } of packages.filter((each) => moved.has(each.name))) {
    const path = join(root, changelogFile(name));
    const needs = Object.keys(
      objectIn(objectIn(JSON.parse(readFileSync(join(root, manifestFile(name)), "utf8"))).dependencies),
    );
    const sentence = (isEmpty: boolean): string => sentenceOf(name, moved, needs, { movesContract, isEmpty });
    writeFileSync(
      path,
      record.bootstrap ? firstChangelog(textOf(path), version) : laterChangelog(textOf(path), version, sentence),
    );
  }
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  correctChangelogs(root, recordIn(root));
}
