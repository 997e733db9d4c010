// What a run leaves: the numbers in docs/contract-coverage.md, and the findings that docs/assumptions.md does not say.
import { readFileSync, writeFileSync } from "node:fs";
import { type CoverageCell, cellClasses } from "../src/coverage/cells.ts";
import type { Coverage, CoverageRow } from "../src/coverage/coverage.ts";
import type { Finding } from "../src/suite/check.ts";

const repository = new URL("../../../", import.meta.url);
const page = "docs/contract-coverage.md";

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** A table of the covered cells by class and target. */
export function classTable({ rows, tallies }: Coverage): string {
  const count = (own: readonly CoverageRow[], target: string) =>
    String(own.filter(({ expected, reached }) => reached.get(target) === expected).length);
  const lines = (Object.keys(cellClasses) as CoverageCell["kind"][]).map((kind) => {
    const own = rows.filter(({ cell }) => cell.kind === kind);
    return [cellClasses[kind], String(own.length), ...tallies.map(({ target }) => count(own, target))];
  });
  return table(["Cells", "Documented", ...tallies.map(({ target }) => target)], lines);
}

/** A table of the case results by target. */
export function caseTable({ tallies }: Coverage): string {
  const lines = tallies.map(({ target, passed, failed, deviating, lacking }) => [
    target,
    ...[passed, failed, deviating].map(String),
    lacking.join(", ") || "nothing",
  ]);
  return table(["Target", "Cases passed", "Failed", "Known deviations", "Unsupported"], lines);
}

/** The page with another table below a heading. */
export function withTable(text: string, heading: string, section: string): string {
  const parts = text.split(/^(?=## )/m).map((part) => part.trimEnd());
  const at = parts.findIndex((part) => part.startsWith(`## ${heading}\n`));
  parts.splice(at < 0 ? parts.length : at, 1, `## ${heading}\n\n${section}`);
  return `${parts.join("\n\n")}\n`;
}

/**
 * Writes tables into the committed page; returns the problems. In CI an outdated page is a problem, as every outdated
 * generated file is, so that no number falls unseen.
 */
export function keepTables(tables: Readonly<Record<string, string>>, command: string): string[] {
  const before = readFileSync(new URL(page, repository), "utf8");
  const text = Object.entries(tables).reduce((rest, [heading, one]) => withTable(rest, heading, one), before);
  if (text === before) return [];
  if (process.env.CI) return [`${page} is outdated: run \`${command}\`, and commit what it changes.`];
  writeFileSync(new URL(page, repository), text);
  return [];
}

const plain = (text: string): string => text.replaceAll("`", "").toLowerCase();

/** The findings whose subject does not occur in the row of docs/assumptions.md that they cite. */
export function unsaidFindings(
  findings: readonly Pick<Finding, "assumption" | "subject">[],
  assumptions: string = readFileSync(new URL("docs/assumptions.md", repository), "utf8"),
): string[] {
  const cited = assumptions.matchAll(/^\| <a id="[^"]+"><\/a>(A-\d+) \| (.*) \|$/gm);
  const rows = new Map([...cited].map(([, id = "", text = ""]) => [id, plain(text)]));
  const unsaid = findings
    .filter(({ assumption, subject }) => !rows.get(assumption)?.includes(plain(subject)))
    .map(
      ({ assumption, subject }) =>
        `docs/assumptions.md: ${assumption} does not say "${subject}". Say it there, or cite the row that does.`,
    );
  return [...new Set(unsaid)];
}
