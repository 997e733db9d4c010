// Moves the packages that follow others: `npm run release -- version` writes their changesets after the gate has passed.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { baselineOf, contractFile, type ReleaseRecord } from "./baseline.ts";
import { type Bump, bumpOf, bumps } from "./change.ts";
import { type Changeset, changesetsIn, changesetText, writeChangeset } from "./changesets.ts";
import { compareContracts } from "./compare/contracts.ts";
import { packagesIn } from "./compare/surface.ts";
import { documentIn, publishedContract } from "./present.ts";
import { boundBelowOne, largestBump } from "./verdict.ts";

const spec = "@call-transfer/spec";

/** Packages whose build takes in files of others, as their tsup.config.ts says: they need a release to ship a fix of those. */
export const takenIn: Readonly<Record<string, readonly string[]>> = {
  "@call-transfer/contract": [spec],
  "@call-transfer/mcp": [spec],
  "@call-transfer/mock-server": [spec, "@call-transfer/backend"],
};

/** A package that moves because another does. */
export interface Follower {
  readonly name: string;
  readonly bump: Bump;
}

/**
 * The packages that must move further than their changesets say. A minor or major of the contract moves every package at least
 * as far, since each serves, tests or wraps it. A patch moves what takes it in.
 * @param packages The names of the public packages
 * @param contractBump How far the contract has moved since the last release
 */
export function followersOf(
  packages: readonly string[],
  contractBump: Bump,
  pending: readonly Changeset[],
  record: ReleaseRecord,
): Follower[] {
  const bumpsNow = new Map(packages.map((name) => [name, largestBump(pending, name)]));
  const moves = contractBump === "minor" || contractBump === "major";
  const contract = packages.flatMap((name): Follower[] => {
    const bump = boundBelowOne(name, contractBump, pending, record);
    if (!moves || bumps.indexOf(bump) <= bumps.indexOf(bumpsNow.get(name) ?? "none")) return [];
    bumpsNow.set(name, bump);
    return [{ name, bump }];
  });
  const fixes = packages.flatMap((name): Follower[] => {
    const takesIn = (takenIn[name] ?? []).some((other) => bumpsNow.get(other) !== "none");
    return takesIn && bumpsNow.get(name) === "none" ? [{ name, bump: "patch" }] : [];
  });
  return [...contract, ...fixes];
}

/** Writes a changeset without a text for each follower: changelogs.ts writes their line, when the versions are known. */
export const writeFollowers = (folder: string, followers: readonly Follower[]): string[] =>
  followers.map(({ name, bump }) => {
    const id = writeChangeset(folder, `follow-${name.split("/").at(-1)}`, changesetText([name], bump, ""));
    return `wrote .changeset/${id}.md: ${name} moves by ${bump}`;
  });

if (import.meta.main) {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const folder = join(root, ".changeset");
  const baseline = baselineOf(root.replace(/[\\/]$/, ""));
  const names = packagesIn(join(root, "packages")).flatMap(({ name, isReleased }) => (isReleased ? [name] : []));
  const changes = compareContracts(documentIn(baseline.read(contractFile)), await publishedContract());
  const followers = followersOf(names, bumpOf(changes), changesetsIn(folder), baseline.record);
  for (const line of writeFollowers(folder, followers)) console.log(line);
}
