// Reads the entries of docs/specification.md: each paragraph, list item and table.

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
