// Decides whether the pending changesets cover the changes since the last release, and writes what to do if not.
import type { ReleaseRecord } from "./baseline.ts";
import { type Bump, bumpOf, bumps, type Change, largerOf, lineOf } from "./change.ts";
import { type Changeset, changesetText } from "./changesets.ts";

export interface Versioned {
  readonly name: string;
  readonly version: string;
}

/** A package with what changed in it. */
export interface Moved {
  readonly name: string;
  readonly changes: readonly Change[];
}

export interface Shortfall extends Moved {
  readonly needed: Bump;
  readonly carried: Bump;
  /** Whether the pending changesets go far enough, but were written before these changes. */
  readonly isLater: boolean;
}

/** What had changed in a package when a changeset was committed; undefined for one that is not committed. */
export type ChangesAt = (changeset: Changeset, name: string) => readonly Change[] | undefined;

/**
 * Packages whose pending changesets are too small for what changed, or were written before it. A changeset covers what had
 * changed when it was committed. So a pending major does not hide what breaks later.
 */
export function shortfallsOf(
  moved: readonly Moved[],
  pending: readonly Changeset[],
  record: ReleaseRecord,
  changesAt: ChangesAt = () => undefined,
): Shortfall[] {
  const counted = pending.filter(({ id }) => id !== record.bootstrap?.changeset);
  const bumpIn = (changes: readonly Change[], name: string): Bump =>
    boundBelowOne(name, bumpOf(changes), pending, record);
  return moved.flatMap(({ name, changes }): Shortfall[] => {
    const carried = largestBump(counted, name);
    const needed = bumpIn(changes, name);
    if (isLarger(needed, carried)) return [{ name, changes, needed, carried, isLater: false }];
    const later = changes.filter((change) => {
      const bump = bumpIn([change], name);
      const covers = (changeset: Changeset): boolean =>
        !isLarger(bump, changeset.bumps.get(name) ?? "none") && hadChanged(change, changesAt(changeset, name));
      return isLarger(bump, "patch") && !counted.some(covers);
    });
    return later.length === 0 ? [] : [{ name, changes: later, needed: bumpIn(later, name), carried, isLater: true }];
  });
}

const isLarger = (one: Bump, other: Bump): boolean => bumps.indexOf(one) > bumps.indexOf(other);

const hadChanged = ({ place, message }: Change, before: readonly Change[] | undefined): boolean =>
  before === undefined || before.some((change) => change.place === place && change.message === message);

/** The largest bump that changesets give a package. */
export const largestBump = (changesets: readonly Changeset[], name: string): Bump =>
  changesets.reduce<Bump>((largest, { bumps: given }) => largerOf(largest, given.get(name) ?? "none"), "none");

/** The bump that a change needs: a package which stays at 0.x announces a major as a minor. */
export const boundBelowOne = (name: string, bump: Bump, pending: readonly Changeset[], record: ReleaseRecord): Bump =>
  bump === "major" && staysBelowOne(name, pending, record) ? "minor" : bump;

/** Whether a package stays at 0.x, where a minor may remove or rename (docs/decisions/0040). */
function staysBelowOne(name: string, pending: readonly Changeset[], { versions, bootstrap }: ReleaseRecord): boolean {
  if (bootstrap) return firstBump(name, pending, bootstrap) === "minor";
  return versions[name]?.startsWith("0.") === true;
}

const firstBump = (
  name: string,
  pending: readonly Changeset[],
  { changeset }: NonNullable<ReleaseRecord["bootstrap"]>,
): Bump | undefined => pending.find(({ id }) => id === changeset)?.bumps.get(name);

/** Packages whose version differs from the last release. */
export const movedFrom = (packages: readonly Versioned[], record: ReleaseRecord): Versioned[] =>
  packages.filter(({ name, version }) => (record.versions[name] ?? version) !== version);

/** Problems of the record and the pending changesets, each with its fix. */
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
        "Undo the change and run `npm run release -- version`, which also records the release.",
    ),
    ...Object.keys(record.versions)
      .filter((name) => !known.has(name))
      .map((name) => `${name} was part of the last release and is no longer a public package. Restore it.`),
    ...bootstrapProblems(packages, pending, record),
    ...pending.flatMap(({ id, bumps: carries, note }) => [
      ...(note.length < 20
        ? [`.changeset/${id}.md has no note. Say in a sentence what the change means to users.`]
        : []),
      ...[...carries.keys()]
        .filter((name) => !known.has(name))
        .map((name) => `.changeset/${id}.md moves ${name}, which is not a package here. Correct the name.`),
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
      `.changeset/${bootstrap.changeset}.md is missing, but the first release is not out yet. Restore it: it gives every package its first version.`,
    ];
  const left = packages.filter(({ name }) => !["minor", "major"].includes(first.bumps.get(name) ?? "none"));
  const others = pending.flatMap(({ id, bumps: carries }) =>
    [...carries].flatMap(([name, bump]) =>
      bump === "major" && first.bumps.get(name) === "minor" ? [{ id, name }] : [],
    ),
  );
  return [
    ...left.map(
      ({ name }) =>
        `.changeset/${first.id}.md must move ${name}: by major, so that it starts at ${bootstrap.version}, or by minor, so that it stays at 0.x.`,
    ),
    ...others.map(
      ({ id, name }) =>
        `.changeset/${id}.md moves ${name} by major, but ${first.id} leaves it at 0.x, where a minor may remove or rename. Use minor.`,
    ),
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
  const { name, needed, carried, changes, isLater } = shortfall;
  const shown = relevantChanges(shortfall);
  return [
    isLater
      ? `${name} changed after its pending changesets were committed. Write a new changeset of ${needed} for what changed since: editing an old one does not count.`
      : `${name} changed since the last release and needs a ${needed} bump. Pending changesets: ${carried === "none" ? "none" : `only ${carried}`}.`,
    "",
    ...shown.map((change) => `  ${lineOf(change)}`),
    ...(shown.length < changes.length ? [`  and ${changes.length - shown.length} that need a patch`] : []),
    "",
    "If the change is intended, run `npm run release -- check --write`. It writes the changeset below into .changeset/.",
    "Replace its text: say what the change means to users. Commit it together with the change.",
    "If the change is not intended, undo it.",
    "",
    ...changesetFor(shortfall)
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`.trimEnd()),
  ].join("\n");
}
