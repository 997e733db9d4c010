// The table of which versions fit together, in docs/compatibility.md: a row for each version of the contract.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Release } from "./record.ts";
import { pythonPackage } from "./versions.ts";

const page = "docs/compatibility.md";
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
const start = "<!-- versions, written by `npm run release -- version` -->";
const end = "<!-- end of versions -->";

/** The versions of a package in some releases: the one, or the first and the last. */
function span(releases: readonly Release[], name: string): string {
  const all = releases.flatMap(({ versions }) => versions[name] ?? []);
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined) return "–";
  return first === last ? first : `${first} to ${last}`;
}

/** The page with its table, newest first. @throws {Error} if the page lacks the comments around the table */
export function withCompatibility(text: string, releases: readonly Release[]): string {
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} lacks ${start} or ${end}. Restore both.`);
  const names = Object.values(columns);
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const groups = [...Map.groupBy(releases, ({ versions }) => versions[spec]).values()].reverse();
  const rows = groups.map((group) => names.map((name) => span(group, name)));
  const table = [Object.keys(columns), names.map(() => "---"), ...rows].map(row).join("");
  return `${text.slice(0, from)}${start}\n\n${table}\n${text.slice(to)}`;
}

/** Writes the page. */
export function writeCompatibility(root: string, releases: readonly Release[]): void {
  const path = join(root, page);
  writeFileSync(path, withCompatibility(readFileSync(path, "utf8"), releases));
}
