// Everything a change must pass once the workspace is installed: `npm test`, and side by side with it the checks of what is
// published, from one build. `long` runs the checks in their long forms, as each night; `quick` leaves the full tier out;
// `since REV` runs only what pages need if nothing but pages has changed since that revision. The last line sums up tests,
// contract cases and steps.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pagesAmong } from "./changed-pages.ts";
import { keepBytecode } from "./python.ts";
import { failureIn, runSteps, type Step, type StepResult } from "./steps.ts";

const npm = (...options: string[]): Step => ({ name: `npm ${options.join(" ")}`, command: ["npm", ...options] });
const run = (script: string, ...options: string[]): Step =>
  npm("run", script, ...(options.length > 0 ? ["--", ...options] : []));
const build = run("build");
const tools = run("check", "tools");
/** Needs the packages that the build made. */
const built = (script: string, ...options: string[]): Step => ({ ...run(script, ...options), after: [build.name] });
/** Uses tests/tools as well. Waiting for that install inside the check would keep a lane from others. */
const equipped = (...options: string[]): Step => ({ ...built("check", ...options), after: [build.name, tools.name] });

const [form = "gate", revision] = process.argv.slice(2);
const forms = ["gate", "long", "quick", "since"];
if (!forms.includes(form) || (form === "since") !== (revision !== undefined)) {
  console.error("Run `.ci/run`, `.ci/run long`, `.ci/run quick` or `.ci/run since REVISION`.");
  process.exit(2);
}
if (form === "long") process.env.CHECKS = "long";
// Every program that a check starts compiles its sources once.
Object.assign(process.env, keepBytecode);
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "call-transfer-ci-"));
const report = join(folder, "tests.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const tests = npm("test", "--", ...reporters);

const quickTier = [run("check", "supply-chain"), run("check", "workflows"), run("release", "check")];
/** The longest first, after what most of them wait for. */
const fullTier = [
  build,
  tools,
  built("test:slow"),
  built("check", "site"),
  equipped("receiving"),
  run("check", "python"),
  equipped("hosting"),
  equipped("recipes"),
  equipped("pages"),
  run("check", "schemathesis"),
  run("check", "generators"),
  built("release", "dry-run"),
  built("lab", "mutants"),
  equipped("runtimes"),
  equipped("consumers"),
  built("check", "packed"),
  built("lab", "soak"),
  built("check", "runners"),
  built("check", "collections"),
  built("check", "image"),
  equipped("size"),
  built("demo"),
];

/** What may differ after a change of pages alone. */
const pageTier = (pages: readonly string[]): Step[] => [
  run("lint"),
  run("generate", "--check"),
  run("test:unit"),
  build,
  built("check", "pages", ...pages),
  built("check", "site"),
];

function chosenSteps(): Step[] {
  if (form === "quick") return [tests, ...quickTier];
  const pages = revision === undefined ? undefined : pagesAmong(changedSince(revision));
  // A page that is gone may have been linked from anywhere.
  if (pages === undefined || !pages.every((page) => existsSync(page))) return [tests, ...fullTier, ...quickTier];
  console.log(`Only pages changed since ${revision}, so only what pages need is run: ${pages.join(", ")}`);
  return pageTier(pages);
}

function changedSince(since: string): string[] {
  const { status, stdout, stderr } = spawnSync("git", ["diff", "--name-only", "--no-renames", `${since}...HEAD`], {
    encoding: "utf8",
  });
  if (status !== 0)
    throw new Error(`Git cannot compare with ${since}: ${stderr.trim()} Fetch it, or name another revision.`);
  return stdout.split("\n").filter((path) => path !== "");
}

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** A test run counts by its tests and contract cases; lint, types and generated files count only when they fail it. */
function countOf({ step, passed, output }: StepResult): Count {
  if (step !== tests) return { passed: Number(passed), failed: Number(!passed) };
  const units = readCounts();
  const cases = /^(\d+) passed, (\d+) failed$/m.exec(output);
  const failed = units.failed + Number(cases?.[2] ?? 0);
  return { passed: units.passed + Number(cases?.[1] ?? 0), failed: passed ? failed : Math.max(failed, 1) };
}

function readCounts(): Count {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

/** How long all processors together were busy and idle, in milliseconds. */
function processorTimes() {
  const times = cpus().map(({ times }) => times);
  const idle = times.reduce((sum, one) => sum + one.idle, 0);
  return { idle, busy: times.reduce((sum, one) => sum + one.user + one.nice + one.sys + one.irq, 0) };
}

const startedAt = performance.now();
const before = processorTimes();
const results = await runSteps(chosenSteps(), 4);
const counts = results.map(countOf);
rmSync(folder, { recursive: true, force: true });

const sum = (kind: keyof Count) => counts.reduce((total, count) => total + count[kind], 0);
console.log("\n  time  processor");
for (const { step, passed, seconds, processorSeconds } of results.toSorted(
  (one, other) => other.processorSeconds - one.processorSeconds || other.seconds - one.seconds,
))
  console.log(
    `${String(seconds).padStart(4)} s  ${String(processorSeconds).padStart(7)} s  ${step.name.split(" -- --reporter")[0]}${passed ? "" : "  FAILED"}`,
  );
const used = results.reduce((total, { processorSeconds }) => total + processorSeconds, 0);
const { idle, busy } = processorTimes();
const share = Math.round((100 * (busy - before.busy)) / (busy - before.busy + idle - before.idle));
// Browsers leave processes behind whose time only the processors know.
console.log(
  `${Math.round((performance.now() - startedAt) / 1000)} s and ${used} s of processor time in all; the processors were busy for ${Math.round((busy - before.busy) / 1000)} s (${share} %)`,
);
// Again, for who sees only the end of a long log.
for (const { step, passed, output } of results)
  if (!passed) console.log(`\n=== What failed in ${step.name.split(" -- --reporter")[0]}:\n${failureIn(output)}`);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
if (sum("failed") > 0) process.exitCode = 1;
