// Reads and writes the pending changesets, and decides whether they cover the changes since the last release.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseChangesetFile } from "@changesets/parse";
import { type Bump, bumpOf, bumps, type Change, largerOf, lineOf } from "./change.ts";

/** Why a line of a record that changed breaks nobody. */
export interface Override {
  readonly place: string;
  readonly reason: string;
}

export interface Changeset {
  /** The file name without `.md`. */
  readonly id: string;
  readonly bumps: ReadonlyMap<string, Bump>;
  /** The text for the changelog. */
  readonly note: string;
  readonly overrides: readonly Override[];
}

/** A problem that stops the gate, such as a file that cannot be read. The message is shown without a stack. */
export class GateError extends Error {
  override readonly name = "GateError";
}

/** `<!-- no break: PLACE: REASON -->`, in lines of their own. The place is what the gate prints before the colon. */
const overrideForm = /^<!-- no break: (.+?): (.{20,}) -->$/gm;

/** Parses a changeset. @throws {GateError} if the text is invalid */
export function parseChangeset(id: string, text: string): Changeset {
  const path = `.changeset/${id}.md`;
  const { releases, summary } = read(path, text.replaceAll("\r\n", "\n"));
  const overrides = [...summary.matchAll(overrideForm)].map(([, place = "", reason = ""]) => ({ place, reason }));
  const note = summary.replaceAll(overrideForm, "").trim();
  if (note.includes("no break:"))
    throw new GateError(
      `${path} has an override of another form. Write \`<!-- no break: PLACE: REASON -->\` on a line of its own, with a reason of a sentence.`,
    );
  return { id, bumps: new Map(releases.map(({ name, type }) => [name, type])), note, overrides };
}

/** @throws {GateError} names the file */
function read(path: string, text: string): ReturnType<typeof parseChangesetFile> {
  try {
    return parseChangesetFile(text);
  } catch (error) {
    throw new GateError(`${path}: ${(error as Error).message}`);
  }
}

/** Every pending changeset in a folder, sorted by name. Those that are in a prerelease already are in its folder `pre`. */
export const changesetsIn = (folder: string): Changeset[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => parseChangeset(name.slice(0, -".md".length), readFileSync(join(folder, name), "utf8")));

export const changesetText = (names: readonly string[], bump: Bump, note: string): string =>
  `---\n${names.map((name) => `"${name}": ${bump}\n`).join("")}---\n\n${note}\n`;

/** Writes a changeset under a free name and returns the name. */
export function writeChangeset(folder: string, wanted: string, text: string): string {
  let id = wanted;
  for (let count = 2; existsSync(join(folder, `${id}.md`)); count += 1) id = `${wanted}-${count}`;
  writeFileSync(join(folder, `${id}.md`), text);
  return id;
}

export interface Versioned {
  readonly name: string;
  readonly version: string;
}

/** A package with what changed in it since the last release. */
export interface Moved extends Versioned {
  readonly changes: readonly Change[];
}

/** A package whose pending changesets are too small for what changed. */
export interface Shortfall extends Moved {
  readonly needed: Bump;
  readonly carried: Bump;
}

const isLarger = (one: Bump, other: Bump): boolean => bumps.indexOf(one) > bumps.indexOf(other);

/** The largest bump that changesets give a package. */
export const largestBump = (changesets: readonly Changeset[], name: string): Bump =>
  changesets.reduce<Bump>((largest, { bumps: given }) => largerOf(largest, given.get(name) ?? "none"), "none");

/** Whether a changeset says why a change breaks nobody: for its place, or for one that it is in. */
const isOverridden = ({ place, isLine }: Change, overrides: readonly Override[]): boolean =>
  isLine === true && overrides.some((each) => place === each.place || place.startsWith(`${each.place} > `));

/** Packages whose pending changesets are too small. A package at 0.x announces a major as a minor (docs/decisions/0006). */
export function shortfallsOf(moved: readonly Moved[], pending: readonly Changeset[]): Shortfall[] {
  return moved.flatMap(({ name, version, changes: all }): Shortfall[] => {
    const overrides = pending.flatMap(({ bumps: given, overrides }) => (given.has(name) ? overrides : []));
    const changes = all.map((each) =>
      each.bump === "major" && (version.startsWith("0.") || isOverridden(each, overrides))
        ? { ...each, bump: "minor" as const }
        : each,
    );
    const [needed, carried] = [bumpOf(changes), largestBump(pending, name)];
    return isLarger(needed, carried) ? [{ name, version, changes, needed, carried }] : [];
  });
}

/** Packages whose build takes in files of others, as their tsup.config.ts says: they need a release to ship a fix of those. */
export const takenIn: Readonly<Record<string, readonly string[]>> = {
  "@call-transfer/contract": ["@call-transfer/spec"],
  "@call-transfer/mcp": ["@call-transfer/spec"],
  "@call-transfer/mock-server": ["@call-transfer/spec", "@call-transfer/backend"],
};

/** A patch for each package that takes in what the changesets move. */
export const taken = (name: string, pending: readonly Changeset[]): Change[] =>
  (takenIn[name] ?? [])
    .filter((other) => largestBump(pending, other) !== "none")
    .map((other) => ({ bump: "patch", place: other, message: "moves, and this package takes it in", usedIn: [] }));

/** Problems of the versions and of the pending changesets, each with its fix. */
export function changesetProblems(
  packages: readonly Moved[],
  pending: readonly Changeset[],
  released: Readonly<Record<string, string>>,
): string[] {
  const known = new Map(packages.map((each) => [each.name, each]));
  return [
    ...packages
      .filter(({ name, version }) => (released[name] ?? version) !== version)
      .map(
        ({ name, version }) =>
          `${name} is ${version}, but the last release was ${released[name]}. ` +
          "Undo the change and run `npm run release -- version`, which also records the release.",
      ),
    ...Object.keys(released)
      .filter((name) => !known.has(name))
      .map((name) => `${name} was part of the last release and is no longer a public package. Restore it.`),
    ...pending.flatMap(({ id, bumps: given, note, overrides }) => [
      ...(note.length < 20
        ? [`.changeset/${id}.md has no note. Say in a sentence what the change means to users.`]
        : []),
      ...[...given.keys()]
        .filter((name) => !known.has(name))
        .map((name) => `.changeset/${id}.md moves ${name}, which is not a package here. Correct the name.`),
      ...overrides
        .filter(
          (each) =>
            ![...given.keys()].some((name) => known.get(name)?.changes.some((one) => isOverridden(one, [each]))),
        )
        .map(
          ({ place }) => `.changeset/${id}.md says why ${place} breaks nobody, but no such line changed. Remove it.`,
        ),
    ]),
  ];
}

/** Leaves out patches when a larger change is needed. */
const relevantChanges = ({ needed, changes }: Shortfall): Change[] =>
  changes.filter(({ bump }) => needed === "patch" || bump !== "patch");

/** A changeset that covers a shortfall. Its note is a draft. */
export function changesetFor(shortfall: Shortfall): string {
  const shown = relevantChanges(shortfall).slice(0, 10);
  const note = shown.map(({ place, message }) => `- \`${place}\`: ${message}.`).join("\n");
  return changesetText([shortfall.name], shortfall.needed, note);
}

/** Explains a shortfall: what changed, which bump it needs, and the changeset to write. */
export function explain(shortfall: Shortfall): string {
  const { name, needed, carried, changes } = shortfall;
  const shown = relevantChanges(shortfall);
  return [
    `${name} changed since the last release and needs a ${needed} bump. Pending changesets: ${carried === "none" ? "none" : `only ${carried}`}.`,
    "",
    ...shown.map((change) => `  ${lineOf(change)}`),
    ...(shown.length < changes.length ? [`  and ${changes.length - shown.length} that need a patch`] : []),
    "",
    "If the change is intended, run `npm run release -- check --write`. It writes the changeset below into .changeset/.",
    "Replace its text: say what the change means to users. Commit it together with the change.",
    "If the change is not intended, undo it.",
    ...(shown.some(({ bump, isLine }) => bump === "major" && isLine)
      ? ["If a line breaks nobody, say why in a changeset: <!-- no break: PLACE: REASON -->"]
      : []),
    "",
    ...changesetFor(shortfall)
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`.trimEnd()),
  ].join("\n");
}
