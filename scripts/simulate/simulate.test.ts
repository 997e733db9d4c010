import { expect, it } from "vitest";
import { allCells } from "./faults.ts";
import { missedCells } from "./report.ts";
import { add, noTotals, simulate } from "./run.ts";

const totals = noTotals();
const broken: string[] = [];
for (let seed = 0; seed < allCells.length; seed += 1) {
  const outcome = await simulate(seed);
  add(totals, outcome);
  broken.push(...outcome.violations.map(({ invariant, message }) => `seed ${seed}: ${invariant}: ${message}`));
}

it("every invariant holds whatever the network does", () => {
  expect(broken).toEqual([]);
});

it("every fault meets every operation", () => {
  expect(missedCells(totals)).toEqual([]);
});

it("no placement or rotation is carried out twice under the default policy, though unsafe ones are", () => {
  expect(totals.risky.never?.duplicates).toBe(0);
  expect(totals.risky.always?.duplicates).toBeGreaterThan(0);
});

it.each([0, 1, 8, 39])("seed %i leaves the same trace each time", async (seed) => {
  expect((await simulate(seed)).hash).toBe((await simulate(seed)).hash);
});
