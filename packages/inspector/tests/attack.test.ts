import { expect, it } from "vitest";
import { groupedChecks, verdictOf } from "../src/data/records/attack.ts";

const check = (name: string, group: "genuine" | "forged", outcome: "passed" | "failed" | "not_checked") => ({
  name,
  group,
  cites: "§6",
  outcome,
});
const checks = [
  check("plain", "genuine", "passed"),
  check("old", "forged", "not_checked"),
  check("wrong secret", "forged", "failed"),
];
const finding = {
  kind: "accepted",
  check: "wrong secret",
  cites: "§6",
  basis: "practice",
  severity: "high",
  expected: "A status from 400 to 499.",
  evidence: [],
  problem: "It got 204.",
  fix: "Verify.",
} as const;

it("the checks of an attack stand in their groups, failed ones first, each with its findings", () => {
  const groups = groupedChecks({ checks, findings: [finding] });
  expect(groups.map(({ title, passed }) => [title, passed])).toEqual([
    ["Forged, changed and late offers are refused", 0],
    ["Genuine offers are accepted", 1],
  ]);
  expect(groups[0]?.checks.map(({ check: { name }, findings }) => [name, findings.length])).toEqual([
    ["wrong secret", 1],
    ["old", 0],
  ]);
});

it("the verdict counts what passed, failed and was not checked", () => {
  const deliveries = { sent: 40, accepted: 1, refused: 38, unanswered: 1 };
  expect(verdictOf({ checks, deliveries })).toBe(
    "1 of 3 checks passed, 1 failed, 1 not checked. 40 deliveries were sent.",
  );
  expect(verdictOf({ checks: checks.slice(0, 1), deliveries })).toBe("1 of 1 checks passed. 40 deliveries were sent.");
});
