// What a run leaves: the numbers in docs/contract-coverage.md, and the findings that docs/assumptions.md does not say.
import { readFileSync, writeFileSync } from "node:fs";
import { type CoverageCell, cellClasses } from "../src/coverage/cells.ts";
import type { Coverage, CoverageRow } from "../src/coverage/coverage.ts";
import type { Finding } from "../src/suite/check.ts";

const repository = new URL("../../../", import.meta.url);
const page = "docs/contract-coverage.md";

const intro = `# Contract coverage

The numbers of what the contract suite covers. \`npm run test:contract -- --all\` and \`npm run lab -- mutants\` update this page
after a complete run, and name each cell, case and mutant that fails.

A run fails in these cases:

- A documented cell is not covered, and no listed limit of its target explains that.
- A mutant survives: the suite passes against a backend with that bug.
- A number of covered cells or caught mutants falls.
`;

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
  const lines = tallies.map(({ target, passed, failed, deviations, notRun }) => {
    const deviating = [...deviations.values()].reduce((sum, cases) => sum + cases.length, 0);
    return [target, String(passed), String(failed), String(deviating), [...notRun.keys()].join(", ") || "nothing"];
  });
  return table(["Target", "Cases passed", "Failed", "Known deviations", "Unsupported"], lines);
}

/** A section of the page: its heading, its table, and whether its numbers may fall. */
export interface Section {
  readonly heading: string;
  readonly text: string;
  readonly mayFall?: boolean;
}

const textOf = (text: string, heading: string): string =>
  text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";

/** Replaces the section with the same heading, or appends the section. */
function withSection(text: string, { heading, text: section }: Section): string {
  const next = `## ${heading}\n\n${section}\n`;
  const before = textOf(text, heading);
  if (before === "") return `${text.trimEnd()}\n\n${next}`;
  return text.replace(before, () => (text.endsWith(before) ? next : `${next}\n`));
}

/** The numbers of a table by row and column, e.g. `operation × status, prism`. */
function numbersIn(section: string): Map<string, number> {
  const [head = [], , ...rows] = section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const cells = rows.flatMap((row) => row.map((cell, column) => [`${row[1]}, ${head[column]}`, cell] as const));
  return new Map(cells.filter(([, cell]) => /^\d+$/.test(cell)).map(([name, cell]) => [name, Number(cell)]));
}

/** The numbers of a section that are smaller than before. A row that is gone is not compared. */
export function fallen(before: string, after: string): string[] {
  const now = numbersIn(after);
  return [...numbersIn(before)].flatMap(([name, number]) => {
    const is = now.get(name);
    return is !== undefined && is < number ? [`${name}: ${number} before, ${is} now`] : [];
  });
}

/** The problems of sections with smaller numbers than a page. Numbers that the page or they lack are not compared. */
export function lostNumbers(before: string, sections: readonly Section[], command: string): string[] {
  const lost = sections
    .filter(({ mayFall }) => !mayFall)
    .flatMap(({ heading, text }) => fallen(textOf(before, heading), text));
  if (lost.length === 0) return [];
  const fix = `If that is intended, delete the row in ${page} and run \`${command}\`.`;
  return [...lost.map((each) => `Coverage fell: ${each}.`), fix];
}

/**
 * Returns the page with new sections, or the problems. In CI an outdated page is a problem, as every outdated generated
 * file is; elsewhere it is updated.
 */
export function updated(
  before: string,
  sections: readonly Section[],
  command: string,
  isCi: boolean,
): { readonly text: string; readonly problems: readonly string[] } {
  const text = sections.reduce(withSection, before);
  const lost = lostNumbers(before, sections, command);
  if (lost.length > 0) return { text: before, problems: lost };
  if (text === before || !isCi) return { text, problems: [] };
  return { text: before, problems: [`${page} is outdated: run \`${command}\` and commit it.`] };
}

const file = new URL(page, repository);

function readPage(): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The page does not exist yet.
    return intro;
  }
}

/** The problems of a run on some targets, whose numbers must not fall below those of the committed page. */
export const fallenSince = (sections: readonly Section[], command: string): string[] =>
  lostNumbers(readPage(), sections, command);

/** Updates the committed page; returns the problems. */
export function keepSummary(sections: readonly Section[], command: string): string[] {
  const { text, problems } = updated(readPage(), sections, command, Boolean(process.env.CI));
  if (problems.length === 0) writeFileSync(file, text);
  return [...problems];
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
