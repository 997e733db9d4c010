// Reads the anchors, links and tables of Markdown pages, and their citations of the specification.

const withoutFences = (text: string): string => text.replace(/^( *)(```+|~~~+)[^\n]*\n.*?^\1\2[ \t]*$/gms, "");

const withoutCode = (text: string): string => withoutFences(text).replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/gs, "");

/** The anchor that GitHub gives a heading. */
export const slugOf = (heading: string): string =>
  heading
    .replace(/<[^>]+>|`/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** The anchors of a page: those of `<a id>` and those that GitHub gives headings. */
export function anchorsIn(text: string): ReadonlySet<string> {
  const prose = withoutFences(text);
  const anchors = new Set([...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id));
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const slug = slugOf(heading);
    let name = slug;
    for (let copy = 1; anchors.has(name); copy += 1) name = `${slug}-${copy}`;
    anchors.add(name);
  }
  return anchors;
}

/** The relative targets of links and images outside code. */
export function relativeLinksIn(text: string): string[] {
  const prose = withoutCode(text);
  const patterns = [/\]\(\s*<?([^()\s>]+)>?[^)]*\)/g, /^ {0,3}\[[^\]]+\]:\s*(\S+)/gm, /\b(?:href|src)="([^"]+)"/g];
  return patterns
    .flatMap((pattern) => [...prose.matchAll(pattern)].map(([, target = ""]) => target))
    .filter((target) => !/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target));
}

/** A table: the heading above it, and its rows by column title. */
export interface Table {
  readonly heading: string;
  readonly rows: readonly Readonly<Record<string, string>>[];
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** The tables of a page in order. Throws if a row has more or fewer cells than its table. */
export function tablesIn(text: string): Table[] {
  const tables: { heading: string; rows: Record<string, string>[] }[] = [];
  const lines = withoutFences(text).split("\n");
  let heading = "";
  let titles: string[] | undefined;
  for (const [index, line] of lines.entries()) {
    const [, title] = /^#+ +(.+)$/.exec(line) ?? [];
    heading = title?.replace(/<[^>]+>/g, "") ?? heading;
    if (!/^ *\|.*\|$/.test(line)) {
      titles = undefined;
      continue;
    }
    if (!titles) {
      titles = cellsOf(line);
      tables.push({ heading, rows: [] });
      continue;
    }
    const cells = cellsOf(line);
    if (cells.length !== titles.length)
      throw new Error(`Line ${index + 1} must have ${titles.length} cells, not ${cells.length}.`);
    if (cells.every((cell) => /^:?-{3,}:?$/.test(cell))) continue;
    tables.at(-1)?.rows.push(Object.fromEntries(titles.map((name, column) => [name, cells[column] ?? ""])));
  }
  return tables;
}

/** The citations of the specification in a text, e.g. `8.3` for rule 3 of section 8. */
export const citationsIn = (text: string): string[] =>
  [...text.matchAll(/§\s?(\d+(?:\.\d+)*)/g)].map(([, number = ""]) => number);

/** The anchor of a cited number in docs/specification.md. */
export const anchorOf = (number: string): string => `s${number.replaceAll(".", "-")}`;

/** The citations outside code without a link to their anchor in docs/specification.md. */
export const unlinkedCitationsIn = (text: string): string[] => {
  const links = /\[§([\d.]+)\]\([^)#]*specification\.md#(s[\d-]+)\)/g;
  return citationsIn(
    withoutCode(text).replace(links, (link, number, anchor) => (anchor === anchorOf(number) ? "" : link)),
  );
};
