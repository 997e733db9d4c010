import { describe, expect, it } from "vitest";
import { withSizes } from "./size-table.ts";

const start = "<!-- sizes, written by `npm run check:size -- --write` -->";
const page = `Before.\n\n${start}\n\n| old |\n\n<!-- end of sizes -->\n\nAfter.\n`;

describe("withSizes", () => {
  it("replaces the table between the comments and nothing else", () => {
    const written = withSizes(page, [{ name: "everything", value: 10.84 }]);
    const table = "| In a bundle | Size |\n|---|---|\n| everything | 10.8 kB |\n";
    expect(written).toBe(`Before.\n\n${start}\n\n${table}\n<!-- end of sizes -->\n\nAfter.\n`);
  });

  it("leaves a page as it is while the sizes round to the same figures", () => {
    const written = withSizes(page, [{ name: "everything", value: 10.84 }]);
    expect(withSizes(written, [{ name: "everything", value: 10.76 }])).toBe(written);
    expect(withSizes(written, [{ name: "everything", value: 10.86 }])).not.toBe(written);
  });

  it("refuses a page without the comments", () => {
    expect(() => withSizes("Nothing.", [])).toThrow("has no table of sizes");
  });
});
