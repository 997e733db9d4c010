// Whether the pending changesets carry what changed since the last release, and what to do where they do not.
import type { ReleaseRecord } from "./baseline.ts";
import { type Bump, bumpOf, bumps, type Change, largerOf, lineOf } from "./change.ts";
import { type Changeset, changesetText } from "./changesets.ts";

/** A package as it stands now. */
export interface Versioned {
  readonly name: string;
  readonly version: string;
  readonly isPrivate: boolean;
}

/** Packages that move together, with what changed in any of them. */
export interface Moved {
  readonly names: readonly string[];
  readonly changes: readonly Change[];
}

export interface Shortfall extends Moved {
  readonly needed: Bump;
  readonly carried: Bump;
}

/** The groups whose pending changesets carry less than what changed. */
export function shortfallsOf(
  moved: readonly Moved[],
  pending: readonly Changeset[],
  record: ReleaseRecord,
): Shortfall[] {
  const counted = pending.filter(({ id }) => id !== record.bootstrap?.changeset);
  return moved.flatMap((group) => {
    const carried = counted
      .flatMap(({ bumps: carries }) => group.names.map((name) => carries.get(name) ?? "none"))
      .reduce<Bump>(largerOf, "none");
    const needed = bumpOf(group.changes);
    return bumps.indexOf(needed) > bumps.indexOf(carried) ? [{ ...group, needed, carried }] : [];
  });
}

/** Packages of the last release whose version is another one now. */
export const movedFrom = (packages: readonly Versioned[], record: ReleaseRecord): Versioned[] =>
  packages.filter(({ name, version }) => (record.versions[name] ?? version) !== version);

/** What is wrong with the record itself and the pending changesets, in sentences that say the mend. */
export function recordProblems(
  packages: readonly Versioned[],
  pending: readonly Changeset[],
  record: ReleaseRecord,
): string[] {
  const moved = movedFrom(packages, record);
  const known = new Set(packages.map(({ name }) => name));
  return [
    ...moved.map(
      ({ name, version }) =>
        `${name} is ${version}, but the last release was ${record.versions[name]}. ` +
        "Versions move by `npm run release:version` only, which records the release too.",
    ),
    ...Object.keys(record.versions)
      .filter((name) => !known.has(name))
      .map((name) => `${name} was part of the last release, and is no public package any more.`),
    ...bootstrapProblems(packages, pending, record),
    ...pending.flatMap(({ id, bumps: carries, note }) => [
      ...(note.length < 20
        ? [`.changeset/${id}.md has no note: say in a sentence what the change means to users.`]
        : []),
      ...[...carries.keys()]
        .filter((name) => !known.has(name))
        .map((name) => `.changeset/${id}.md moves ${name}, which is no package here.`),
    ]),
  ];
}

function bootstrapProblems(
  packages: readonly Versioned[],
  pending: readonly Changeset[],
  { bootstrap }: ReleaseRecord,
): string[] {
  if (!bootstrap) return [];
  const first = pending.find(({ id }) => id === bootstrap.changeset);
  if (!first)
    return [
      `.changeset/${bootstrap.changeset}.md is gone, but the first release is not out yet: bring it back, it carries every package to ${bootstrap.version}.`,
    ];
  const left = packages.filter(({ name, isPrivate }) => !isPrivate && first.bumps.get(name) !== "major");
  return left.map(
    ({ name }) => `.changeset/${first.id}.md must move ${name} by major, so that it begins at ${bootstrap.version}.`,
  );
}

const joined = (names: readonly string[]): string => names.join(" and ");

/** Patches only count where there is nothing else. */
const worthTelling = ({ needed, changes }: Shortfall): Change[] =>
  changes.filter(({ bump }) => needed === "patch" || bump !== "patch");

/** The changeset that would carry a shortfall. Its note is a draft. */
export function changesetFor(shortfall: Shortfall): string {
  const told = worthTelling(shortfall).slice(0, 10);
  const note = told.map(({ place, words }) => `- \`${place}\`: ${words}.`).join("\n");
  return changesetText(shortfall.names, shortfall.needed, note);
}

/** What a newcomer is told: what changed, what it takes, and the words to write. */
export function sentenceFor(shortfall: Shortfall): string {
  const { names, needed, carried, changes } = shortfall;
  const told = worthTelling(shortfall);
  return [
    `${joined(names)} changed since the last release in a way that takes at least a ${needed} release, and the pending changesets carry ${carried === "none" ? "nothing" : `only ${carried}`}:`,
    "",
    ...told.map((change) => `  ${lineOf(change)}`),
    ...(told.length < changes.length ? [`  and ${changes.length - told.length} that take a patch`] : []),
    "",
    "What to do: if that is what you mean, run `npm run release:check -- --write`. It writes the changeset below into",
    ".changeset/; say there in your own words what the change means to users, and commit it together with the change.",
    "If it is not what you mean, take the change back.",
    "",
    ...changesetFor(shortfall)
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`.trimEnd()),
  ].join("\n");
}
