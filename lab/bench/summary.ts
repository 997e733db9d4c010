// Prints every figure of the last run that has a limit or a peer, with what is missed or behind in the end.
import { globSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { tablesIn } from "../../scripts/markdown.ts";

const verdicts = ["met", "missed", "behind"] as const;
type Verdict = (typeof verdicts)[number];

interface Figure {
  readonly verdict: Verdict;
  /** The cells of its row, without empty ones. */
  readonly text: string;
}

/** The rows of a page of results that say how a figure did. */
export function figuresIn(page: string): readonly Figure[] {
  return tablesIn(page).flatMap(({ rows }) =>
    rows.flatMap((row) => {
      const cells = Object.values(row);
      const verdict = verdicts.find((one) => cells.some((cell) => new RegExp(`^(?:≤ .+, )?${one}\\b`).test(cell)));
      return verdict === undefined ? [] : [{ verdict, text: cells.filter(Boolean).join("  ") }];
    }),
  );
}

/** When a page was written: one of an earlier run, whose part failed this time, is older than the others. */
const ageOf = (path: string): string => {
  const minutes = Math.round((Date.now() - statSync(path).mtimeMs) / 60_000);
  return `written ${minutes} min ago`;
};

function print(): void {
  const pages = globSync(join(import.meta.dirname, "results-*.md")).sort();
  const all = pages.map((path) => ({ path, figures: figuresIn(readFileSync(path, "utf8")) }));
  for (const { path, figures } of all)
    console.log([`\n${basename(path)}, ${ageOf(path)}`, ...figures.map(({ text }) => `  ${text}`)].join("\n"));
  const figures = all.flatMap((page) => page.figures);
  const count = (verdict: Verdict): number => figures.filter((figure) => figure.verdict === verdict).length;
  console.log(`\n${count("met")} met, ${count("missed")} missed, ${count("behind")} behind a peer`);
  for (const { verdict, text } of figures) if (verdict !== "met") console.log(`  ${text}`);
}

if (import.meta.main) print();
