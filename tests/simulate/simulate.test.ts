import { beforeAll, expect, it } from "vitest";
import { allCells } from "./faults.ts";
import { add, missedAnswers, missedCells, noTotals, simulate } from "./run.ts";

/** Calls in each world: few, since there is a world for every cell. */
const calls = 15;
const totals = noTotals();
const broken: string[] = [];

beforeAll(async () => {
  for (let seed = 0; seed < allCells.length; seed += 1) {
    const outcome = await simulate(seed, calls);
    add(totals, outcome);
    for (const { invariant, message } of outcome.violations)
      broken.push(`${invariant}: ${message}; npm run simulate -- --from ${seed} --seeds 1 --calls ${calls} --trace`);
  }
});

it("every invariant holds whatever the network does", () => {
  expect(broken).toEqual([]);
});

it("every fault meets every operation", () => {
  expect(missedCells(totals)).toEqual([]);
});

it("every kind of middleware hands on answers of every class", () => {
  expect(missedAnswers(totals)).toEqual([]);
});

it("nothing is carried out twice under the default policy, though it can be under another", () => {
  expect(totals.risky.never?.duplicates).toBe(0);
  expect(totals.risky.always?.duplicates).toBeGreaterThan(0);
});

it.each([0, 1, 7, 16])("seed %i leaves the same trace each time", async (seed) => {
  expect((await simulate(seed, calls)).hash).toBe((await simulate(seed, calls)).hash);
});
