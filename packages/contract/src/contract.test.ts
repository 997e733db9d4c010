import { afterAll, describe, expect, it } from "vitest";
import { cases } from "./cases.ts";
import { coverageOf, gapsOf } from "./coverage.ts";
import { keepReport } from "./keep-report.ts";
import { coverageJson, coverageMarkdown } from "./report.ts";
import type { Run } from "./run.ts";
import { targets } from "./targets/targets.ts";

const runs: Run[] = [];
const names = ["in-process", "http"];

for (const name of names) {
  describe(`the contract, ${name}`, () => {
    it("is kept", { timeout: 120_000 }, async () => {
      const runner = await targets[name]?.();
      await runner?.run(cases, (run) => runs.push(run));
      expect(runs.filter(({ failure }) => failure)).toEqual([]);
    });
  });
}

afterAll(() => {
  // A part of the suite says nothing about the whole, and leaves the committed reports alone.
  if (runs.length < cases.length * names.length) return;
  const coverage = coverageOf(runs);
  const gaps = gapsOf(coverage);
  if (gaps.length > 0) throw new Error(`The contract is not covered:\n${gaps.join("\n")}`);
  keepReport(new URL("../contract-coverage.json", import.meta.url), coverageJson(coverage));
  keepReport(new URL("../../../docs/contract-coverage.md", import.meta.url), coverageMarkdown(coverage));
  const { rows, onDemandCodes } = coverage;
  console.log(`${rows.length} documented cells are covered on ${coverage.targets.join(" and ")}`);
  console.log(`${onDemandCodes.length} codes only come on demand: ${onDemandCodes.join(", ")}`);
});
