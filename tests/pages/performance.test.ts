import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { relativeLinksIn, tablesIn } from "../../scripts/markdown.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/performance.md");

describe("docs/performance.md", () => {
  const parts = tablesIn(page)[0]?.rows.map(({ Part = "", "Measured on": date = "", Results = "" }) => {
    const [, title = ""] = /^\[(.+)\]/.exec(Part) ?? [];
    const [results = ""] = relativeLinksIn(Results);
    const text = page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
    return { title, date, text, results: read(results.slice("../".length)).replaceAll(",", "") };
  });

  it.each(parts ?? [])("takes the date and every figure about $title from its results", ({ date, text, results }) => {
    const prose = text.replace(/!\[[^\]]*\]/g, "").replaceAll(",", "");
    const figures = prose.match(/\d+(?:\.\d+)?(?: ?(?:×|µs|ms|kB|MB)|(?![\d.]))/g) ?? [];
    expect(figures.length).toBeGreaterThan(3);
    expect(results).toContain(`One run on ${date}`);
    expect(results).toContain(/Node [\d.]+\d/.exec(page)?.[0]);
    expect(results).toContain(/\d+ processors/.exec(page)?.[0]);
    const shows = (figure: string) => new RegExp(`(?<![\\d.])${figure.replace(".", "\\.")}(?!\\d)`).test(results);
    expect(figures.filter((figure) => !shows(figure))).toEqual([]);
  });
});
