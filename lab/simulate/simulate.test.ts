import { beforeAll, expect, it } from "vitest";
import { allCells } from "./faults.ts";
import { Coverage, replayOf, simulate } from "./run.ts";

/** Calls per world. Few are enough, since there is a world for every pair of fault and operation. */
const calls = 15;
const coverage = new Coverage();
const broken: string[] = [];

beforeAll(async () => {
  for (let seed = 0; seed < allCells.length; seed += 1) {
    const { evidence, violations } = await simulate(seed, calls);
    coverage.add(evidence);
    for (const { invariant, message } of violations) broken.push(`${invariant}: ${message}; ${replayOf(seed, calls)}`);
  }
});

it("all invariants hold under every fault", () => {
  expect(broken).toEqual([]);
});

it("the run covers every pair of fault and operation", () => {
  expect(coverage.missed()).toEqual([]);
});

it("no call is executed twice under the default policy, but some are under retry.onUnknownOutcome: retry", () => {
  expect(coverage.duplicates.throw).toBe(0);
  expect(coverage.duplicates.retry).toBeGreaterThan(0);
});

it.each([0, 1, 5, 7, 16])("seed %i leaves the same trace each time", async (seed) => {
  expect((await simulate(seed, calls)).hash).toBe((await simulate(seed, calls)).hash);
});
