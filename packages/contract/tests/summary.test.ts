import { describe, expect, it } from "vitest";
import { runsText, totalsOf } from "../src/coverage/summary.ts";
import type { CaseResult } from "../src/suite/run.ts";

const run: CaseResult = {
  noun: "roles",
  name: "the list",
  target: "one",
  covers: [],
  exchanges: [],
  findings: [],
  tookMs: 1,
};
const failed: CaseResult = { ...run, failure: "roles: expected 4, met 3", trace: ["GET /roles", "→ 200"] };
const notRun: CaseResult = { ...run, missing: [{ capability: "clock", why: "it has none" }] };

describe("what a target did", () => {
  it("is counted by how each case ended", () => {
    const runs = [run, failed, notRun, { ...run, deviation: "as listed" }];
    expect(totalsOf(runs)).toEqual({ passed: 1, failed: 1, deviating: 1, notRun: 1 });
  });

  it("shows a failed case with what was expected and the exchange", () => {
    expect(runsText("one", [failed], 1500)).toBe(
      [
        "one: 0 passed, 1 failed in 1.5 s",
        "  FAILED roles: the list",
        "    roles: expected 4, met 3",
        "    The exchange:",
        "      GET /roles",
        "      → 200",
      ].join("\n"),
    );
  });

  it("tells once what it cannot do, and how many cases that kept back", () => {
    expect(runsText("one", [notRun, notRun], 0)).toContain("  not run, clock: it has none (2 cases)");
  });
});
