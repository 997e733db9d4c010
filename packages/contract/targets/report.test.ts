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

describe("coverageJson", () => {
  it("marks a cell that every target covers", () => {
    expect(servedCell(runOf("one"), runOf("two"))).toBe("behaviour: all");
  });

  it("names the targets that cover a cell", () => {
    const limited = runOf("three", { exchanges: [], missing: [{ capability: "auth", why: "it has no users" }] });
    expect(servedCell(runOf("one"), runOf("two"), limited)).toBe("behaviour: all but three");
  });

  it("lists missing capabilities with their reasons", () => {
    const limited = runOf("one", { exchanges: [], missing: [{ capability: "auth", why: "it has no users" }] });
    expect(json(limited).targets.one?.notRun).toEqual({ auth: { why: "it has no users", cases: 1 } });
  });

  it("does not depend on the duration of the cases", () => {
    const slow = coverageJson(measureCoverage([runOf("one", { tookMs: 900 })]));
    expect(coverageJson(measureCoverage([runOf("one")]))).toBe(slow);
  });
});

describe("coverageMarkdown", () => {
  it("lists a deviation with its reason and case", () => {
    const text = coverageMarkdown(measureCoverage([runOf("one", { exchanges: [], deviation: "it is known to" })]));
    expect(text).toContain("- **one**: it is known to (roles: the list)");
  });

  it("marks cells without coverage", () => {
    expect(coverageMarkdown(measureCoverage([runOf("one")]))).toContain(
      "| availability: away stays, without `until` | **no** |",
    );
  });
});
