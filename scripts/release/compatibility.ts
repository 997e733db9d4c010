// The table of which versions fit together, in docs/compatibility.md: a row for each version of the contract.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inc } from "semver";
import type { ReleaseRecord } from "./baseline.ts";
import type { Changeset } from "./changesets.ts";
import { listIn, objectIn } from "./json.ts";
import { pythonPackage } from "./python-package.ts";

/** The versions of every package in each release, oldest first. */
export const historyFile = "releases/history.json";
export const compatibilityPage = "docs/compatibility.md";

/** The versions of one release by package. */
export type Versions = Readonly<Record<string, string>>;

const spec = "@call-transfer/spec";
/** The packages by the heads of their columns. */
const columns: Readonly<Record<string, string>> = {
  Contract: spec,
  "TypeScript SDK": "@call-transfer/sdk",
  "Python client": pythonPackage,
  Backend: "@call-transfer/backend",
  "Mock server": "@call-transfer/mock-server",
  "Contract suite": "@call-transfer/contract",
  "MCP server": "@call-transfer/mcp",
};
const start = "<!-- versions, written by `npm run record` and `npm run release -- version` -->";
const end = "<!-- end of versions -->";

/** The releases in the text of the history. */
export const historyIn = (text: string): Versions[] =>
  listIn(JSON.parse(text)).map((release) =>
    Object.fromEntries(Object.entries(objectIn(release)).map(([name, version]) => [name, String(version)])),
  );

/** The versions that the first release will have; undefined after it. */
export function firstVersions(
  { bootstrap, versions }: ReleaseRecord,
  pending: readonly Changeset[],
): Versions | undefined {
  const first = pending.find(({ id }) => id === bootstrap?.changeset);
  if (first === undefined) return undefined;
  const before = (name: string): string => versions[name] ?? "0.1.0";
  const moved = [...first.bumps].map(([name, bump]): [string, string] => [
    name,
    (bump === "none" ? null : inc(before(name), bump)) ?? before(name),
  ]);
  return Object.fromEntries(moved);
}

/** The versions of a package in some releases: the one, or the first and the last. */
function span(releases: readonly Versions[], name: string): string {
  const all = releases.flatMap((release) => release[name] ?? []);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined) return "–";
  return first === last ? first : `${first} to ${last}`;
}

/**
 * The page with its table, newest first.
 *
 * @param planned The versions of a release that is still to come.
 * @throws {Error} if the page lacks the comments around the table
 */
export function withCompatibility(page: string, history: readonly Versions[], planned?: Versions): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${compatibilityPage} lacks ${start} or ${end}. Restore both.`);
  const names = Object.values(columns);
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const released = [...Map.groupBy(history, (release) => release[spec]).values()].reverse();
  const rows = [
    ...(planned ? [[`${planned[spec]}, to come`, ...names.slice(1).map((name) => planned[name] ?? "–")]] : []),
    ...released.map((releases) => names.map((name) => span(releases, name))),
  ];
  const table = [Object.keys(columns), names.map(() => "---"), ...rows].map(row).join("");
  return `${page.slice(0, from)}${start}\n\n${table}\n${page.slice(to)}`;
}

/** Adds a release to the history, and writes the page. */
export function recordCompatibility(root: string, versions: Versions): void {
  const [history, page] = [join(root, historyFile), join(root, compatibilityPage)];
  const releases = [...historyIn(readFileSync(history, "utf8")), versions];
  writeFileSync(history, `${JSON.stringify(releases, null, 2)}\n`);
  writeFileSync(page, withCompatibility(readFileSync(page, "utf8"), releases));
}
