import { describe, expect, it } from "vitest";
import { measureCoverage } from "../src/coverage/coverage.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { coverageJson, coverageMarkdown } from "./report.ts";

const runOf = (target: string, changes: Partial<CaseResult> = {}): CaseResult => ({
  noun: "roles",
  name: "the list",
  target,
  covers: [],
  exchanges: [{ operation: "listRoles", status: 200, byFault: false }],
  findings: [],
  tookMs: 1,
  ...changes,
});

interface Report {
  targets: Record<string, { passed: number; notRun: object; deviations: object }>;
  cells: Record<string, Record<string, string>>;
}
const json = (...runs: CaseResult[]) => JSON.parse(coverageJson(measureCoverage(runs))) as Report;
const servedCell = (...runs: CaseResult[]) => json(...runs).cells["operation × status"]?.["listRoles: 200"];

describe("the coverage as data", () => {
  it("says of a cell that every target covers it", () => {
    expect(servedCell(runOf("one"), runOf("two"))).toBe("behaviour: all");
  });

  it("names the target that does not", () => {
    const limited = runOf("three", { exchanges: [], missing: [{ capability: "auth", why: "it knows nobody" }] });
    expect(servedCell(runOf("one"), runOf("two"), limited)).toBe("behaviour: all but three");
  });

  it("says what a target cannot do, and why", () => {
    const limited = runOf("one", { exchanges: [], missing: [{ capability: "auth", why: "it knows nobody" }] });
    expect(json(limited).targets.one?.notRun).toEqual({ auth: { why: "it knows nobody", cases: 1 } });
  });

  it("is the same however long the cases took", () => {
    const slow = coverageJson(measureCoverage([runOf("one", { tookMs: 900 })]));
    expect(coverageJson(measureCoverage([runOf("one")]))).toBe(slow);
  });
});

describe("the coverage to read", () => {
  it("lists a deviation with its reason and its case", () => {
    const text = coverageMarkdown(measureCoverage([runOf("one", { exchanges: [], deviation: "it is known to" })]));
    expect(text).toContain("- **one**: it is known to (roles: the list)");
  });

  it("marks what nobody covers", () => {
    expect(coverageMarkdown(measureCoverage([runOf("one")]))).toContain(
      "| availability: away stays, without `until` | **no** |",
    );
  });
});
