import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { everything, largest, pagesWithSizes, smallest, withComparison, withTable } from "./size-table.ts";
import sizes from "./sizes.json" with { type: "json" };

const start = "<!-- sizes, written by `npm run record -- sizes` -->";
const page = `Before.\n\n${start}\n\n| old |\n\n<!-- end of sizes -->\n\nAfter.\n`;
const other = { [everything]: "98.7", [smallest]: "87.6", [largest]: "76.5" };

describe.each(Object.entries(pagesWithSizes))("%s", (path, write) => {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

  it("states the recorded sizes (npm run record)", async () => {
    await expect(write(text, sizes)).toMatchFileSnapshot(`../../${path}`);
  });

  it("would state other sizes", () => {
    expect(write(text, other)).not.toBe(text);
    expect(write(text, other)).toContain("98.7");
  });
});

describe("the table of sizes", () => {
  it("replaces what stands between the comments and nothing else", () => {
    const table = "| In a bundle | Size |\n|---|---|\n| everything | 10.8 kB |\n";
    expect(withTable(page, { [everything]: "10.8" })).toBe(
      `Before.\n\n${start}\n\n${table}\n<!-- end of sizes -->\n\nAfter.\n`,
    );
  });

  it("refuses a page without the comments, and a size that was not measured", () => {
    expect(() => withTable("Nothing.", {})).toThrow("The page does not say");
    expect(() => withComparison("| Bundle of everything, minified, after gzip | 1 kB |", {})).toThrow(
      "There is no size of everything",
    );
  });
});
