// Reads the parts of docs/specification.md, and what shows each of them: evidence.txt.
import type { ContractCase } from "../packages/contract/src/suite/case.ts";

/** Something that the specification says, or leaves open. */
export interface Entry {
  /** The number to cite, e.g. `4.1`, or `8.3` for a rule. */
  readonly section: string;
  /** The text without Markdown; of a table its title and columns. */
  readonly text: string;
  /** The codes in a table of codes. */
  readonly codes: readonly string[];
  /** The assumptions that it links. */
  readonly assumptions: readonly string[];
  /** Whether it only says what is left open. */
  readonly isOpen: boolean;
}

const plain = (text: string): string =>
  text
    .replaceAll(/<a id="[^"]+"><\/a>/g, "")
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

const assumptionsIn = (text: string): string[] =>
  [...text.matchAll(/assumptions\.md#(a-\d+)/g)].map(([, id = ""]) => id.toUpperCase());

/** Blocks of a page: headings, tables, list items and paragraphs, each as its lines joined. */
function blocksIn(page: string): string[] {
  const blocks: string[] = [];
  let open = false;
  for (const line of page.split("\n")) {
    const isTable = /^ *\|/.test(line);
    const startsNew = /^(?:#|- |\d+\. )/.test(line) || (isTable && !/^ *\|/.test(blocks.at(-1) ?? ""));
    if (line.trim() === "") open = false;
    else if (open && !startsNew) blocks.push(`${blocks.pop()}\n${line}`);
    else {
      blocks.push(line);
      open = true;
    }
  }
  return blocks;
}

/** Tables of which each row is an entry, by their first column. */
const splitTables: ReadonlySet<string> = new Set(["Status", "From", "type", "Limit"]);

const cellsOf = (line: string): string[] => line.trim().split("|").slice(1, -1).map(plain);

/** Every entry of the specification's page, in order. */
export function entriesIn(page: string): Entry[] {
  const entries: Entry[] = [];
  let section = "";
  let title = "";
  let leadIn = "";
  for (const block of blocksIn(page.slice(page.search(/^## <a id=/m)))) {
    const [, anchor] = /<a id="s([\d-]+)">/.exec(block) ?? [];
    if (block.startsWith("#")) {
      section = anchor?.replaceAll("-", ".") ?? section;
      title = plain(block.replace(/^#+ /, ""));
      leadIn = "";
      continue;
    }
    if (block.trim().startsWith("|")) {
      const [columns = [], , ...rows] = block.trim().split("\n").map(cellsOf);
      const name = leadIn === "" ? title : leadIn;
      const texts = splitTables.has(columns[0] ?? "")
        ? rows.map((cells) => cells.filter(Boolean).join(" · "))
        : [`Table of ${name} (${columns.join(", ")})`];
      const codes = columns[0] === "Code" ? rows.flatMap(([code = ""]) => code) : [];
      entries.push(...texts.map((text) => ({ section, text, codes, assumptions: [], isOpen: false })));
      continue;
    }
    const text = plain(block.replace(/^(?:- |\d+\. )/, ""));
    const isItem = /^(?:- |\d+\. )/.test(block);
    if (!isItem) leadIn = text.endsWith(":") ? text.slice(0, -1) : "";
    if (text.endsWith(":") && !isItem) continue;
    const isOpen = text.startsWith("Not specified") || (isItem && leadIn.startsWith("Not specified"));
    entries.push({
      section: isItem && anchor ? anchor.replaceAll("-", ".") : section,
      text,
      codes: [],
      assumptions: assumptionsIn(block),
      isOpen,
    });
  }
  return entries;
}

/** A test: its file, and the title that stands there. */
export interface TestName {
  readonly path: string;
  readonly title: string;
}

/** A row of evidence.txt. */
export interface EvidenceRow {
  readonly section: string;
  readonly start: string;
  /** Regular expressions of case names. `{code}` stands for any code of the part's table. */
  readonly cases: readonly string[];
  /** Whether the comparison with the facts shows it. */
  readonly facts: boolean;
  /** Tests by file and title. */
  readonly tests: readonly TestName[];
  readonly reasons: readonly string[];
  /** What the evidence does not show. */
  readonly gaps: readonly string[];
}

const after = (word: string, cells: readonly string[]): string[] =>
  cells.filter((cell) => cell.startsWith(`${word} `)).map((cell) => cell.slice(word.length + 1));

/** Reads the table. Throws for a row of another form. */
export function readEvidence(table: string): EvidenceRow[] {
  return table.split("\n").flatMap((line, index) => {
    if (line === "" || line.startsWith("#")) return [];
    const [section = "", start = "", ...cells] = line.split("¦").map((cell) => cell.trim());
    const isKnown = (cell: string) => cell === "facts" || /^(?:case|test \S+:|reason|not) ./.test(cell);
    if (!section.startsWith("§") || start === "" || cells.length === 0 || !cells.every(isKnown))
      throw new Error(`Line ${index + 1} must be "§section ¦ start of the part ¦ evidence", not: ${line}`);
    return [
      {
        section: section.slice(1),
        start,
        cases: after("case", cells),
        facts: cells.includes("facts"),
        tests: after("test", cells).map((text) => {
          const [path = "", ...title] = text.split(": ");
          return { path, title: title.join(": ") };
        }),
        reasons: after("reason", cells),
        gaps: after("not", cells),
      },
    ];
  });
}

/** An entry with what shows it. */
export interface Traced {
  readonly entry: Entry;
  readonly rows: readonly EvidenceRow[];
  readonly cases: readonly ContractCase[];
}

const nameOf = ({ resource, name }: ContractCase): string => `${resource}: ${name}`;

const patternOf = (source: string, { codes }: Entry): RegExp =>
  new RegExp(source.replaceAll("{code}", `(?:${codes.join("|")})`));

/** Each entry with its evidence, and what is wrong with the table. `hasTest` says whether a test exists. */
export function trace(
  entries: readonly Entry[],
  rows: readonly EvidenceRow[],
  cases: readonly ContractCase[],
  hasTest: (test: TestName) => boolean,
) {
  const belongs = (entry: Entry) => (row: EvidenceRow) =>
    row.section === entry.section && entry.text.startsWith(row.start);
  const traced = entries.map((entry): Traced => {
    const own = rows.filter(belongs(entry));
    const patterns = own.flatMap((row) => row.cases).map((source) => patternOf(source, entry));
    // In the order of the evidence, as the page names the first.
    const shown = patterns.flatMap((pattern) => cases.filter((one) => pattern.test(nameOf(one))));
    return { entry, rows: own, cases: [...new Set(shown)] };
  });
  const problems = [
    ...traced
      .filter(({ entry, rows: own }) => own.length === 0 && !(entry.isOpen && entry.assumptions.length > 0))
      .map(({ entry }) => `§${entry.section} "${entry.text.slice(0, 60)}" has no case, check, assumption or reason.`),
    ...rows
      .filter((row) => !entries.some((entry) => belongs(entry)(row)))
      .map(({ section, start }) => `§${section} has no part that starts with "${start}".`),
    ...traced.flatMap(({ entry, rows: own }) =>
      own
        .flatMap((row) => row.cases)
        .map((source) => patternOf(source, entry))
        .filter((pattern) => !cases.some((one) => pattern.test(nameOf(one))))
        .map(({ source }) => `§${entry.section} "${entry.text.slice(0, 60)}": no case has a name like ${source}.`),
    ),
    ...rows.flatMap(({ section, start, tests }) =>
      tests
        .filter((test) => !hasTest(test))
        .map(({ path, title }) => `§${section} "${start}": ${path} has no test "${title}".`),
    ),
  ];
  return { traced, problems };
}
