import { describe, expect, it } from "vitest";
import { measureCoverage } from "../../src/coverage/coverage.ts";
import type { CaseResult } from "../../src/suite/run.ts";
import { caseTable, classTable, fallen, lostNumbers, unsaidFindings, updated } from "../../targets/report.ts";

const runOf = (target: string, changes: Partial<CaseResult> = {}): CaseResult => ({
  resource: "roles",
  name: "the list",
  target,
  covers: [],
  exchanges: [{ operation: "listRoles", status: 200, byFault: false }],
  findings: [],
  durationMs: 1,
  ...changes,
});

describe("the tables of a run", () => {
  const limited = { exchanges: [], missing: [{ capability: "authentication", reason: "it has no users" }] } as const;
  const coverage = measureCoverage([
    runOf("one"),
    runOf("two", limited),
    runOf("three", { exchanges: [], deviation: "it is known to" }),
  ]);

  it("count the cells that each target covers", () => {
    expect(classTable(coverage)).toMatch(/^\| operation × status \| \d+ \| 1 \| 0 \| 0 \|$/m);
  });

  it("count passed cases and known deviations, and name what a target lacks", () => {
    expect(caseTable(coverage).split("\n").slice(2)).toEqual([
      "| one | 1 | 0 | 0 | nothing |",
      "| two | 0 | 0 | 0 | authentication |",
      "| three | 0 | 0 | 1 | nothing |",
    ]);
  });

  it("do not depend on the duration of the cases", () => {
    const [slow, fast] = [900, 1].map((durationMs) => measureCoverage([runOf("one", { durationMs })]));
    expect(slow && caseTable(slow)).toBe(fast && caseTable(fast));
  });
});

const tableOf = (number: number, other = 3) =>
  `| Cells | one | two |\n| --- | --- | --- |\n| status | ${number} | ${other} |`;
const pageOf = (number: number) => `# Page\n\n## Cells\n\n${tableOf(number)}\n\n## Mutants\n\nNone.\n`;
const cells = (number: number) => ({ heading: "Cells", text: tableOf(number) });

describe("fallen", () => {
  it("names falling numbers by row and column", () => {
    expect(fallen(tableOf(5), tableOf(4))).toEqual(["status, one: 5 before, 4 now"]);
  });

  it.each([
    ["grow", tableOf(6)],
    ["stay", tableOf(5)],
    ["lose their row", "| Cells | one |\n| --- | --- |"],
  ])("reports nothing where numbers %s", (_, after) => {
    expect(fallen(tableOf(5), after)).toEqual([]);
  });
});

describe("the committed page", () => {
  it("replaces a section and keeps the others", () => {
    expect(updated(pageOf(5), [cells(6)], "run", false)).toEqual({ text: pageOf(6), problems: [] });
  });

  it("appends a new section", () => {
    const { text } = updated(pageOf(5), [{ heading: "Cases", text: "Four." }], "run", false);
    expect(text).toBe(`${pageOf(5)}\n## Cases\n\nFour.\n`);
  });

  it("is unchanged when a number falls, which is a problem", () => {
    const { text, problems } = updated(pageOf(5), [cells(4)], "run", false);
    expect(text).toBe(pageOf(5));
    expect(problems.join(" ")).toContain(
      "Coverage fell: status, one: 5 before, 4 now. If that is intended, delete the row",
    );
  });

  it("is compared with the numbers of a run on some of its targets", () => {
    const ofTwo = (number: number) => [
      { heading: "Cells", text: `| Cells | two |\n| --- | --- |\n| status | ${number} |` },
    ];
    expect(lostNumbers(pageOf(5), ofTwo(2), "run").join(" ")).toContain("Coverage fell: status, two: 3 before, 2 now.");
    expect(lostNumbers(pageOf(5), ofTwo(3), "run")).toEqual([]);
  });

  it("accepts a falling number with mayFall", () => {
    expect(updated(pageOf(5), [{ ...cells(4), mayFall: true }], "run", false)).toEqual({
      text: pageOf(4),
      problems: [],
    });
  });

  it("is a problem in CI when it is outdated, and only there", () => {
    expect(updated(pageOf(5), [cells(6)], "run it", true).problems.join()).toContain("run `run it` and commit it");
    expect(updated(pageOf(5), [cells(5)], "run it", true).problems).toEqual([]);
  });
});

const page = `| Id | Open question | Our assumption | Where |
|---|---|---|---|
| <a id="a-1"></a>A-1 | The code | The destination is not an \`app\`: \`bad_request\` | Contract |
`;

describe("a finding", () => {
  it("may cite a row that says its subject", () => {
    expect(unsaidFindings([{ assumption: "A-1", subject: "the destination is not an app" }], page)).toEqual([]);
  });

  it.each([
    ["A-1", "an unknown flow"],
    ["A-2", "the destination is not an app"],
  ])("is reported once when %s does not say %s", (assumption, subject) => {
    const finding = { assumption, subject };
    expect(unsaidFindings([finding, finding], page)).toEqual([
      `docs/assumptions.md: ${assumption} does not say "${subject}". Say it there, or cite the row that does.`,
    ]);
  });
});
