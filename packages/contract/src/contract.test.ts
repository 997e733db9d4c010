import { afterAll, describe, it } from "vitest";
import { cases } from "./cases.ts";
import { coverageOf, gapsOf } from "./coverage.ts";
import { keepReport } from "./keep-report.ts";
import { coverageJson, coverageMarkdown } from "./report.ts";
import { type Run, runCase } from "./run.ts";
import { targets } from "./targets.ts";

const runs: Run[] = [];

for (const [name, open] of Object.entries(targets)) {
  describe(`the contract, ${name}`, () => {
    for (const contractCase of cases) {
      it(`${contractCase.noun}: ${contractCase.name}`, async (context) => {
        const { target, close } = await open();
        try {
          const run = await runCase(contractCase, target);
          runs.push(run);
          if (run.failure) throw run.failure;
          if (run.notRun) context.skip(run.notRun);
        } finally {
          await close();
        }
      });
    }
  });
}

afterAll(() => {
  // A part of the suite says nothing about the whole, and leaves the committed reports alone.
  if (runs.length < cases.length * Object.keys(targets).length) return;
  const coverage = coverageOf(runs);
  const gaps = gapsOf(coverage);
  if (gaps.length > 0) throw new Error(`The contract is not covered:\n${gaps.join("\n")}`);
  keepReport(new URL("../contract-coverage.json", import.meta.url), coverageJson(coverage));
  keepReport(new URL("../../../docs/contract-coverage.md", import.meta.url), coverageMarkdown(coverage));
  const { rows, onDemandCodes } = coverage;
  console.log(`${rows.length} documented cells are covered on ${coverage.targets.join(" and ")}`);
  console.log(`${onDemandCodes.length} codes only come on demand: ${onDemandCodes.join(", ")}`);
});
