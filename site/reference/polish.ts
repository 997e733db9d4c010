// Turns TypeDoc's Markdown into pages of the site.

import type { Page } from "../../build/markdown.ts";
import { withCitations } from "../citations.ts";
import { layOut } from "./signature.ts";

const sources = "https://github.com/call-transfer/call-transfer/blob/main/";
/** Maps from names of the contract to types, whose nested members would fill pages of `object`. */
const maps = /^spec\/interfaces\/(?:paths|operations|webhooks|components)\.md$/;

/**
 * A page of TypeDoc as a page of the site, under `reference/`.
 *
 * @param hasPage Whether the site has a page, such as `errors/conflict.md`.
 */
export function polish({ path, text }: Page, hasPage: (path: string) => boolean): Page {
  const isEntry = path.endsWith("index.md");
  const toRoot = "../".repeat(path.split("/").length);
  const steps = [
    withSignatures,
    withoutInheritance,
    (page: string) => withSources(page, isEntry),
    (page: string) =>
      withThrows(page, (code) => (hasPage(`errors/${code}.md`) ? `${toRoot}errors/${code}.md` : undefined)),
    withUnions,
    withReferences,
    (page: string) => page.replace(/(\\<|\()\s+\\\|\s+/g, "$1"),
    (page: string) => (isEntry ? page.replace(/<a id="(?:property|type-parameter)-[^>]*><\/a> /g, "") : page),
    (page: string) => withTables(page, maps.test(path)),
    (page: string) => withCitations(page, toRoot),
    withTitle,
  ];
  // The page of all names stands for them in the search, whose index would be many times as large.
  const start = "---\npageClass: reference\nsearch: false\noutline: [2, 3]\n---\n\n";
  return { path: `reference/${path}`, text: start + steps.reduce((page, step) => step(page), text) };
}

const withSignatures = (text: string): string =>
  text.replace(/^```ts\n([\s\S]*?)\n```$/gm, (_, code: string) => `\`\`\`ts\n${layOut(code)}\n\`\`\``);

/** The extended classes say where a member comes from. */
const withoutInheritance = (text: string): string =>
  text.replace(/^#{3,5} (?:Overrides|Inherited from|Implementation of)\n\n.*\n\n?/gm, "");

/** A link to the source: at the end of a page of one name, and at each name of an entry. */
function withSources(text: string, isEntry: boolean): string {
  const link = (path: string) => `[Source: ${path}](${sources}${path}){.source}\n`;
  const paths: string[] = [];
  const page = text.replace(/^Defined in: (packages\/\S+?):\d+\n\n?/gm, (_, path: string) => {
    paths.push(path);
    return isEntry ? `${link(path)}\n` : "";
  });
  return isEntry || !paths[0] ? page : `${page.trimEnd()}\n\n${link(paths[0])}`;
}

type PageOfCode = (code: string) => string | undefined;

/** One list of errors, with links to their codes. */
function withThrows(text: string, pageOf: PageOfCode): string {
  return text.replace(/(?:^#{2,5} Throws\n\n(?:(?!#|\*\*\*).*\n?)+?(?=#|\*\*\*|$(?![\s\S])))+/gm, (block) => {
    const [title = ""] = /^#+ Throws/.exec(block) ?? [];
    const items = block.split(/^#+ Throws\n\n/m).map((item) => item.trim().replace(/\n/g, " "));
    const lines = items.filter(Boolean).map((item) => `- ${withCodes(item, pageOf)}`);
    return `${title}\n\n${lines.join("\n")}\n\n`;
  });
}

const withCodes = (text: string, pageOf: PageOfCode): string =>
  /^\d{3}: `/.test(text)
    ? text.replace(/`(\w+)`/g, (code, name) => (pageOf(name) ? `[${code}](${pageOf(name)})` : code))
    : text;

/** The parts of a union as a list: one text describes a literal and those without a text after it. */
function withUnions(text: string): string {
  return text.replace(/^#{2,4} Union Members\n\n([\s\S]*?)(?=^#{1,4} |$(?![\s\S]))/gm, (_, block: string) => {
    const lines: string[] = [];
    for (const part of block.split(/^\*\*\*$/m)) {
      const [, literal, described = ""] = /^\s*(`[^`\n]+`)\s*([\s\S]*)$/.exec(part) ?? [];
      const last = lines.at(-1);
      if (literal === undefined) lines.push(`\n${part.replace(/^#+ Type Literal$/m, "").trim()}\n`);
      else if (described.trim() === "" && last?.startsWith("- "))
        lines[lines.length - 1] = last.replace(/(: |$)/, `, ${literal}$1`);
      else lines.push(`- ${literal}${described.trim() && `: ${described.trim().replace(/\n/g, " ")}`}`);
    }
    return `${lines.join("\n").trim()}\n\n***\n\n`;
  });
}

/** One table of the names that an entry takes from another package. */
function withReferences(text: string): string {
  const [before = "", after] = text.split(/^## References\n/m);
  if (after === undefined) return text;
  const rows = [...after.matchAll(/^### (\S+).*\n\nRe-exports \[.*\]\((\S+)\)$/gm)].map(
    ([, name, target = ""]) =>
      `| [${name}](${target}) | \`@call-transfer/${/^(?:\.\.\/)*([a-z-]+)/.exec(target)?.[1]}\` |`,
  );
  rows.sort();
  return `${before}## Also exported\n\n| Name | Package |\n| --- | --- |\n${rows.join("\n")}\n`;
}

/** Tables without what readers cannot use: protocols of the language, columns that repeat another, nested types of maps. */
function withTables(text: string, isMap: boolean): string {
  return text.replace(/(?:^\|.*\|\n?)+/gm, (table) => {
    const [head = [], rule = [], ...body] = table.trim().split("\n").map(cellsOf);
    const rows = body
      .filter(([name = ""]) => !/`\\?\[\w+\]/.test(name) && !(isMap && !name.startsWith("<a ")))
      .map((cells) => cells.map((cell) => (cell === "-" ? "" : tidyType(cell))));
    const repeats = (column: number) => rows.every((cells) => ["", cells[1]].includes(cells[column]));
    const shown = head.map(
      (title, column) => !(title === "Default value" && repeats(column)) && !isEmpty(rows, column),
    );
    const lines = [head, rule, ...rows].map((cells) => `| ${cells.filter((_, column) => shown[column]).join(" | ")} |`);
    return `${lines.join("\n")}\n`;
  });
}

const isEmpty = (rows: readonly string[][], column: number): boolean =>
  column > 0 && rows.every((cells) => cells[column] === "");

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** A union without a bar in front, and `fetch` by its name. */
const tidyType = (cell: string): string =>
  cell.replace(/^\\\| /, "").replace(/\\\{ \(`input`[^}]*\\\}/g, "`typeof fetch`");

/** The name alone, and its kind in lower case. */
const withTitle = (text: string): string =>
  text.replace(
    /^# ([\w@/-]+)(?:\\<.*?)?(\(\))?( <Badge type="info" text=")(\w[^"]*)/,
    (_, name: string, call = "", badge: string, kind: string) => `# ${name}${call}${badge}${kind.toLowerCase()}`,
  );
