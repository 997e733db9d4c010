// Reads pages written in Markdown, and changes their links.

/** A page, as Markdown. */
export interface Page {
  /** Its path, such as `errors/call_not_found.md`. */
  readonly path: string;
  readonly text: string;
}

/** The text of the first heading, without marks. Throws if there is none. */
export function titleOf({ path, text }: Page): string {
  const [, title] = /^# +(.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${path} has no heading. Begin it with a line such as "# Paging".`);
  return title
    .replace(/<[^>]+>/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "");
}

/** The first paragraph after the first heading, on one line, without marks. Empty if a table, list or block comes first. */
export function summaryOf({ text }: Page): string {
  const [, first = ""] = /^# .+\n+([\s\S]*?)(?:\n\n|\n*$(?![\s\S]))/m.exec(text) ?? [];
  if (/^(?:[#|>\-*!<]|```|\d+\.)/.test(first)) return "";
  return first
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** The text with other targets of its links and images. Code is not touched. */
export const withLinks = (text: string, rewrite: (target: string) => string): string =>
  outsideCode(text, (prose) =>
    prose
      .replace(/(\]\(\s*<?)([^()\s>]+)/g, (_, start: string, target: string) => `${start}${rewrite(target)}`)
      .replace(/^( {0,3}\[[^\]]+\]:\s*)(\S+)/gm, (_, start: string, target: string) => `${start}${rewrite(target)}`)
      .replace(/\b((?:href|src|srcset)=")([^"]+)/g, (_, start: string, target: string) => `${start}${rewrite(target)}`),
  );

const code = /^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[ \t]*$|(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\3(?!`)/gm;

/** The text with its prose changed, and code blocks and code in a line as they are. */
export function outsideCode(text: string, change: (prose: string) => string): string {
  const blocks: string[] = [];
  // A private-use character marks the place of code, so that a link around code is still seen as a link.
  const prose = text.replace(code, (block) => `\uE000${blocks.push(block) - 1}\uE001`);
  return change(prose).replace(/\uE000(\d+)\uE001/g, (_, index) => blocks[Number(index)] ?? "");
}
