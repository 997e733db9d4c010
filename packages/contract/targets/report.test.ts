import { describe, expect, it } from "vitest";
import { measureCoverage } from "../src/coverage/coverage.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { coverageMarkdown } from "./report.ts";

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

const page = (...runs: CaseResult[]) => coverageMarkdown(measureCoverage(runs));
/** The row of the operations' 200 in a page. */
const servedRow = (...runs: CaseResult[]) => /^\| 200 \|.*$/m.exec(page(...runs))?.[0];
const limited = { exchanges: [], missing: [{ capability: "authentication", reason: "it has no users" }] } as const;

describe("coverageMarkdown", () => {
  it("marks a cell that every target covers", () => {
    expect(servedRow(runOf("one"), runOf("two"))).toContain("| yes |");
  });

  it("names the targets that cover a cell", () => {
    expect(servedRow(runOf("one"), runOf("two"), runOf("three", limited))).toContain("| all but three |");
  });

  it("lists missing capabilities with their reasons", () => {
    expect(page(runOf("one", limited))).toContain("- **one**, authentication: it has no users (1 cases not run)");
  });

  it("does not depend on the duration of the cases", () => {
    expect(page(runOf("one", { durationMs: 900 }))).toBe(page(runOf("one")));
  });

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
