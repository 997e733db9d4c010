import { describe, expect, it } from "vitest";
import { fallen, updated } from "./reports.ts";

const table = (number: number, other = 3) =>
  `| Cells | one | two |\n| --- | --- | --- |\n| status | ${number} | ${other} |`;
const page = (number: number) => `# Page\n\n## Cells\n\n${table(number)}\n\n## Mutants\n\nNone.\n`;
const cells = (number: number) => ({ heading: "Cells", text: table(number) });

describe("numbers that fall", () => {
  it("are named by their row and column", () => {
    expect(fallen(table(5), table(4))).toEqual(["status, one: 5 before, 4 now"]);
  });

  it.each([
    ["grow", table(6)],
    ["stay", table(5)],
    ["lose their row", "| Cells | one |\n| --- | --- |"],
  ])("are none where they %s", (_, after) => {
    expect(fallen(table(5), after)).toEqual([]);
  });
});

describe("the committed page", () => {
  it("takes a new section in its place, and keeps the others", () => {
    expect(updated(page(5), [cells(6)], "run", false)).toEqual({ text: page(6), problems: [] });
  });

  it("takes a section that it did not have at its end", () => {
    const { text } = updated(page(5), [{ heading: "Cases", text: "Four." }], "run", false);
    expect(text).toBe(`${page(5)}\n## Cases\n\nFour.\n`);
  });

  it("stays as it is where a number falls, which is a problem", () => {
    const { text, problems } = updated(page(5), [cells(4)], "run", false);
    expect(text).toBe(page(5));
    expect(problems.join(" ")).toContain(
      "Coverage fell: status, one: 5 before, 4 now. If that is meant, delete the row",
    );
  });

  it("takes a number that may fall", () => {
    expect(updated(page(5), [{ ...cells(4), mayFall: true }], "run", false)).toEqual({ text: page(4), problems: [] });
  });

  it("is a problem on a build machine where it is behind, and only there", () => {
    expect(updated(page(5), [cells(6)], "run it", true).problems.join()).toContain("run `run it` and commit it");
    expect(updated(page(5), [cells(5)], "run it", true).problems).toEqual([]);
  });
});
