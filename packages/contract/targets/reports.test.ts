import { describe, expect, it } from "vitest";
import { fallen, lostNumbers, updated } from "./reports.ts";

const table = (number: number, other = 3) =>
  `| Cells | one | two |\n| --- | --- | --- |\n| status | ${number} | ${other} |`;
const page = (number: number) => `# Page\n\n## Cells\n\n${table(number)}\n\n## Mutants\n\nNone.\n`;
const cells = (number: number) => ({ heading: "Cells", text: table(number) });

describe("fallen", () => {
  it("names falling numbers by row and column", () => {
    expect(fallen(table(5), table(4))).toEqual(["status, one: 5 before, 4 now"]);
  });

  it.each([
    ["grow", table(6)],
    ["stay", table(5)],
    ["lose their row", "| Cells | one |\n| --- | --- |"],
  ])("reports nothing where numbers %s", (_, after) => {
    expect(fallen(table(5), after)).toEqual([]);
  });
});

describe("the committed page", () => {
  it("replaces a section and keeps the others", () => {
    expect(updated(page(5), [cells(6)], "run", false)).toEqual({ text: page(6), problems: [] });
  });

  it("appends a new section", () => {
    const { text } = updated(page(5), [{ heading: "Cases", text: "Four." }], "run", false);
    expect(text).toBe(`${page(5)}\n## Cases\n\nFour.\n`);
  });

  it("is unchanged when a number falls, which is a problem", () => {
    const { text, problems } = updated(page(5), [cells(4)], "run", false);
    expect(text).toBe(page(5));
    expect(problems.join(" ")).toContain(
      "Coverage fell: status, one: 5 before, 4 now. If that is intended, delete the row",
    );
  });

  it("is compared with the numbers of a run on some of its targets", () => {
    const ofTwo = (number: number) => [
      { heading: "Cells", text: `| Cells | two |\n| --- | --- |\n| status | ${number} |` },
    ];
    expect(lostNumbers(page(5), ofTwo(2), "run").join(" ")).toContain("Coverage fell: status, two: 3 before, 2 now.");
    expect(lostNumbers(page(5), ofTwo(3), "run")).toEqual([]);
  });

  it("accepts a falling number with mayFall", () => {
    expect(updated(page(5), [{ ...cells(4), mayFall: true }], "run", false)).toEqual({ text: page(4), problems: [] });
  });

  it("is a problem in CI when it is outdated, and only there", () => {
    expect(updated(page(5), [cells(6)], "run it", true).problems.join()).toContain("run `run it` and commit it");
    expect(updated(page(5), [cells(5)], "run it", true).problems).toEqual([]);
  });
});
