import { describe, expect, it } from "vitest";
import { coverageGaps, measureCoverage } from "../src/coverage/coverage.ts";
import type { Exchange } from "../src/suite/recorder.ts";
import type { CaseResult } from "../src/suite/run.ts";

const served: Exchange = { operation: "listRoles", status: 200, byFault: false };

const runOf = (exchange: Exchange, changes: Partial<CaseResult> = {}): CaseResult => ({
  resource: "any",
  name: "any",
  target: "fake",
  covers: [],
  durationMs: 0,
  exchanges: [exchange],
  findings: [],
  ...changes,
});

const gaps = (...runs: CaseResult[]) => coverageGaps(measureCoverage(runs)).filter((gap) => gap.includes("listRoles"));
const about = (words: string, lines: readonly string[]) => lines.filter((line) => line.includes(words));

describe("the coverage", () => {
  it("counts a cell that a passed case reached", () => {
    expect(about("listRoles, 200", gaps(runOf(served)))).toEqual([]);
  });

  it("does not count what a failed case reached", () => {
    expect(about("listRoles, 200", gaps(runOf(served, { failure: "failed" })))).toHaveLength(1);
  });

  it("requires each target to reach a cell", () => {
    const other = runOf({ ...served, status: 401, code: "token_missing" }, { target: "other" });
    expect(about("listRoles, 200", gaps(runOf(served), other))).toEqual([expect.stringContaining("other: ")]);
  });

  it("does not count a response of a fault as behaviour", () => {
    const forced = { ...served, status: 401, code: "token_missing", byFault: true };
    expect(about("token_missing", gaps(runOf(forced)))[0]).toContain("only by a fault, not by behaviour");
  });

  it("reports behaviour that only a fault should produce", () => {
    const failed = { ...served, status: 500, code: "internal_error" };
    expect(about("internal_error", gaps(runOf(failed)))[0]).toContain("by behaviour, but should need a fault");
  });

  it("reports undocumented responses", () => {
    const strange = { ...served, status: 409, code: "conflict" };
    expect(about("not documented", gaps(runOf(strange)))).toHaveLength(2);
  });

  it("requires a case of the operation's own resource", () => {
    expect(about("case of its own", gaps(runOf(served)))).toHaveLength(1);
    expect(about("case of its own", gaps(runOf(served, { resource: "roles" })))).toEqual([]);
  });

  it("excuses a target from a cell whose cases it cannot run", () => {
    const limited = runOf(served, {
      target: "limited",
      missing: [{ capability: "authentication", reason: "it has no users" }],
    });
    const rows = measureCoverage([runOf(served), limited]).rows.filter(({ cell }) => cell.kind === "status");
    expect(rows.find(({ reached }) => reached.has("fake"))?.missed.get("limited")).toEqual([
      "authentication: it has no users",
    ]);
    expect(about("listRoles, 200", gaps(runOf(served), limited))).toEqual([]);
  });

  it("excuses limited targets when there is no full target", () => {
    const limited = ["one", "other"].map((target) => runOf(served, { target, deviation: "it differs" }));
    expect(gaps(...limited)).toEqual([]);
  });

  it.each([
    ["a transition", "availability: away → available"],
    ["a signed delivery", "transfer.offer, signed"],
    ["a delivery after a rotation", "transfer.offer, rotated"],
    ["a reaction to a failure", "hang, non_idempotent"],
  ])("requires %s", (_what, words) => {
    expect(about(words, coverageGaps(measureCoverage([runOf(served)])))).toHaveLength(1);
  });
});
