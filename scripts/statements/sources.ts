// Looks the facts of statements.txt up in what they cite: a section of the specification or an assumption.

import type { StatementFact } from "./statements.ts";
import { everyWordIn, isMeasure } from "./words.ts";

/** The text of a page behind an anchor: a section without its subsections, or a rule. */
function partAt(page: string, anchor: string): string {
  const start = page.indexOf(`<a id="${anchor}"></a>`);
  if (start < 0) throw new Error(`docs/ has no anchor ${anchor}. Correct the sources in statements.txt.`);
  const isRule = /^\d+\. $/.test(page.slice(page.lastIndexOf("\n", start) + 1, start));
  const end = page.slice(start).search(isRule ? /\n(?:\d+\. |\n(?! ))/ : /\n#+ <a id=/);
  return page.slice(start, end < 0 ? undefined : start + end);
}

/** The pages that facts cite. */
export interface Pages {
  readonly specification: string;
  readonly assumptions: string;
}

/** The text that a source stands for. `code` is the name of the error code in the place. */
function textOf(source: string, place: string, pages: Pages): string {
  if (source === "code") return place.replaceAll("_", " ");
  if (source.startsWith("§")) {
    const part = partAt(pages.specification, `s${source.slice(1).replaceAll(".", "-")}`);
    const code = /^error-codes (?:fieldCodes )?(\w+) /.exec(place)?.[1];
    const rows = part
      .split("\n")
      .filter((line) => code === undefined || !line.startsWith("|") || line.includes(`\`${code}\``));
    return rows.join("\n");
  }
  return /.*/.exec(pages.assumptions.slice(pages.assumptions.indexOf(`<a id="${source.toLowerCase()}">`)))?.[0] ?? "";
}

/** Sources that are no text of a page: what an example shows, and words that are ours and state no fact of the API. */
const unread: ReadonlySet<string> = new Set(["example", "ours"]);

/** A source that says a word of the statement in other words: `later = inclusive lower bound`. */
const otherWords = / = /;

/** The numbers, units, orders and directions of facts that their sources do not contain. One sentence each. */
export function unfoundMeasures(facts: readonly StatementFact[], pages: Pages): string[] {
  return facts.flatMap(({ place, sources, says }) => {
    if (sources.some((source) => unread.has(source))) return [];
    const cited = sources.filter((source) => !otherWords.test(source));
    const text = cited
      .map((source) => textOf(source, place, pages))
      .join(" ")
      .replaceAll(/\s+/g, " ");
    const renamed = new Map(
      sources.filter((one) => otherWords.test(one)).map((one) => one.split(otherWords) as [string, string]),
    );
    const known = everyWordIn(text);
    const words = place.endsWith(" =")
      ? (says.replace(/pattern [^;]*/, "").match(/\d+/g) ?? [])
      : says.split(" ").filter(isMeasure);
    return words
      .filter((word) => !known.has(word) && !text.toLowerCase().includes(renamed.get(word) ?? "\0"))
      .map((word) => `${place} states "${word}", which ${cited.join(", ")} does not. Cite what does.`);
  });
}
