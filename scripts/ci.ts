// Everything a change must pass once the workspace is installed: `npm test`, then the checks of what is published, side by
// side. `quick` leaves the full tier out. The last line sums up tests, contract cases and steps.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSteps, type Step, type StepResult } from "./steps.ts";

const npm = (...options: string[]): Step => ({ name: `npm ${options.join(" ")}`, command: ["npm", ...options] });
const run = (script: string, ...options: string[]): Step =>
  npm("run", script, ...(options.length > 0 ? ["--", ...options] : []));

interface Count {
  readonly passed: number;
  readonly failed: number;
}

const folder = mkdtempSync(join(tmpdir(), "call-transfer-ci-"));

/** A test run counts by its tests and contract cases; lint, types and generated files count only when they fail it. */
async function countTests(): Promise<Count> {
  const report = join(folder, "tests.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const [result] = await runSteps([npm("test", "--", ...reporters)], 1);
  const units = readCounts(report);
  const cases = /^(\d+) passed, (\d+) failed$/m.exec(result?.output ?? "");
  const passed = units.passed + Number(cases?.[1] ?? 0);
  const failed = units.failed + Number(cases?.[2] ?? 0);
  return { passed, failed: result?.passed ? failed : Math.max(failed, 1) };
}

function readCounts(report: string): Count {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

const countSteps = (results: readonly StepResult[]): Count => ({
  passed: results.filter(({ passed }) => passed).length,
  failed: results.filter(({ passed }) => !passed).length,
});

const quickTier = [run("check:supply-chain"), run("release:check")];
/** The longest first. Each asks for a build, which is made once. */
const fullTier = [
  run("test:slow"),
  run("release:dry-run"),
  run("mutants"),
  run("check:consumers"),
  run("check:runtimes"),
  run("soak", "--minutes", "1"),
  // Both well after check:runtimes, which installs the Node, Bun and Deno that they use.
  run("check:pages"),
  run("check:recipes"),
  run("check:receiving"),
  run("check:hosting"),
  run("check:site"),
  run("check:collections"),
  run("check:runners"),
  run("check:packages"),
  run("check:image"),
  run("check:size"),
  run("demo"),
];

const isQuick = process.argv[2] === "quick";
const counts = [await countTests()];
if (!isQuick) counts.push(countSteps(await runSteps([run("build")])));
counts.push(countSteps(await runSteps(isQuick ? quickTier : [...fullTier, ...quickTier])));
rmSync(folder, { recursive: true, force: true });

const sum = (kind: keyof Count) => counts.reduce((total, count) => total + count[kind], 0);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
if (sum("failed") > 0) process.exitCode = 1;
