// Run it with: npm run lab -- simulate --help
import { writeFileSync } from "node:fs";
import { help, type RunOptions, readCommand, UsageError } from "./options.ts";
import type { Report } from "./report.ts";

/** Everything that decides what a seed does. */
const codePaths = [
  "package-lock.json",
  "lab/simulate",
  ...["spec", "backend", "sdk"].map((name) => `packages/${name}/src`),
];

// The other modules are imported late, because a bug must be planted before its code is loaded.
async function run({ from, seeds, attempts, calls, trace, shard, shards }: RunOptions): Promise<Report> {
  const { allCells } = await import("./faults.ts");
  const { usualCalls } = await import("./plan.ts");
  const { runWorlds } = await import("./run.ts");
  const { worldsOf } = await import("./shards.ts");
  const { digestOf } = await import("../../scripts/digest.ts");
  const size = { from, calls: calls ?? usualCalls };
  const count = seeds ?? (attempts === undefined ? allCells.length : undefined);
  const worlds = count === undefined ? { start: 0, end: undefined } : worldsOf({ shard, shards }, count);
  const result = await runWorlds({ ...size, ...worlds, attempts, trace });
  return { code: digestOf(codePaths), ...size, seeds: count ?? result.totals.worlds, shard, shards, ...result };
}

async function finish(report: Report, file: string | undefined, lines: readonly string[]): Promise<boolean> {
  const { hasPassed } = await import("./report.ts");
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(report)}\n`);
  console.log(lines.join("\n"));
  return hasPassed(report);
}

/** Returns whether all is well. */
async function main(args: readonly string[]): Promise<boolean> {
  const command = readCommand(args);
  switch (command.name) {
    case "help":
      console.log(help);
      return true;
    case "mutants":
      return (await import("./mutation-run.ts")).runMutants();
    case "mutant":
      return (await import("./mutation-run.ts")).runMutant(command.mutant);
    case "merge": {
      const { mergeReports, readReport } = await import("./shards.ts");
      const report = mergeReports(command.files.map(readReport));
      return finish(report, command.report, (await import("./report.ts")).reportLines(report));
    }
    case "run": {
      const report = await run(command.options);
      return finish(report, command.report, (await import("./report.ts")).summaryLines(report));
    }
  }
}

try {
  if (!(await main(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
