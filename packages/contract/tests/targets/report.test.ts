import { describe, expect, it } from "vitest";
import { measureCoverage } from "../../src/coverage/coverage.ts";
import type { CaseResult } from "../../src/suite/run.ts";
import { caseTable, classTable, unsaidFindings, withTable } from "../../targets/report.ts";

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

describe("the committed page", () => {
  const pageOf = (cells: string, ...more: string[]) => [
    "# Page",
    `## Cells\n\n${cells}`,
    "## Mutants\n\nNone.",
    ...more,
  ];
  const text = (parts: readonly string[]) => `${parts.join("\n\n")}\n`;

  it("gets another table below a heading, and keeps the others", () => {
    expect(withTable(text(pageOf("Five.")), "Cells", "Six.")).toBe(text(pageOf("Six.")));
    expect(withTable(text(pageOf("Five.")), "Mutants", "None.")).toBe(text(pageOf("Five.")));
  });

  it("gets a new heading at its end", () => {
    expect(withTable(text(pageOf("Five.")), "Cases", "Four.")).toBe(text(pageOf("Five.", "## Cases\n\nFour.")));
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
