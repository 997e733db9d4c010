import { describe, expect, it } from "vitest";
import { runsText, totalsOf } from "../src/coverage/coverage.ts";
import type { CaseResult } from "../src/suite/run.ts";

const run: CaseResult = {
  resource: "roles",
  name: "the list",
  target: "one",
  covers: [],
  exchanges: [],
  findings: [],
  durationMs: 1,
};
const failed: CaseResult = { ...run, failure: "roles: expected 4, got 3", trace: ["GET /roles", "→ 200"] };
const notRun: CaseResult = { ...run, missing: [{ capability: "clock", reason: "it has none" }] };

describe("the results of a target", () => {
  it("count passed, failed and skipped cases", () => {
    const runs = [run, failed, notRun, { ...run, deviation: "as listed" }];
    expect(totalsOf(runs)).toEqual({ passed: 1, failed: 1, deviating: 1, notRun: 1 });
  });

  it("show a failed case with its failure, requests and responses", () => {
    expect(runsText("one", [failed], 1500)).toBe(
      [
        "one: 0 passed, 1 failed in 1.5 s",
        "  FAILED roles: the list",
        "    roles: expected 4, got 3",
        "    Requests and responses:",
        "      GET /roles",
        "      → 200",
      ].join("\n"),
    );
  });

  it("list each missing capability once, with the number of cases", () => {
    expect(runsText("one", [notRun, notRun], 0)).toContain("  not run, clock: it has none (2 cases)");
  });
});
