/** A page of the site, as Markdown. */
export interface Page {
  /** Its path on the site, such as `errors/call_not_found.md`. */
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
  if (/^(?:[#|>`\-*!<]|\d+\.)/.test(first)) return "";
  return first
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
