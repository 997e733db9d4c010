import { beforeAll, expect, it } from "vitest";
import { allCells } from "./faults.ts";
import { add, missedAnswers, missedCells, missedReceivers, noTotals } from "./report.ts";
import { simulate } from "./run.ts";

/** Calls per world. Few are enough, since there is a world for every pair of fault and operation. */
const calls = 15;
const totals = noTotals();
const broken: string[] = [];

beforeAll(async () => {
  for (let seed = 0; seed < allCells.length; seed += 1) {
    const outcome = await simulate(seed, calls);
    add(totals, outcome.evidence);
    for (const { invariant, message } of outcome.violations)
      broken.push(
        `${invariant}: ${message}; npm run lab -- simulate --from ${seed} --seeds 1 --calls ${calls} --trace`,
      );
  }
});

it("all invariants hold under every fault", () => {
  expect(broken).toEqual([]);
});

it("the run covers every pair of fault and operation", () => {
  expect(missedCells(totals)).toEqual([]);
});

it("the run covers every pair of middleware and class of response", () => {
  expect(missedAnswers(totals)).toEqual([]);
});

it("the run covers receivers with every behaviour of a store and every trouble of a process", () => {
  expect(missedReceivers(totals)).toEqual([]);
});

it("no call is executed twice under the default policy, but some are under retry.onUnknownOutcome: retry", () => {
  expect(totals.risky.throw.duplicates).toBe(0);
  expect(totals.risky.retry.duplicates).toBeGreaterThan(0);
});

it.each([0, 1, 5, 7, 16])("seed %i leaves the same trace each time", async (seed) => {
  expect((await simulate(seed, calls)).hash).toBe((await simulate(seed, calls)).hash);
});
