// Writes the full reports to reports/, which is not committed, and their numbers to one committed page.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const repository = new URL("../../../", import.meta.url);
const page = "docs/contract-coverage.md";

const intro = `# Contract coverage

The numbers of what the contract suite covers. \`npm run test:contract -- --all\` and \`npm run lab -- mutants\` update this page
after a complete run. They also write the full reports, with each cell, case and mutant, to \`reports/\`, which is not committed.

A run fails in these cases:

- A documented cell is not covered, and no listed limit of its target explains that.
- A mutant survives: the suite passes against a backend with that bug.
- A number of covered cells or caught mutants falls.
`;

/** Writes a full report. */
export function writeReport(name: string, text: string): void {
  const folder = new URL("reports/", repository);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(name, folder), text);
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
