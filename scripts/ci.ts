// The gate: what a change must pass once the workspace is installed. Each commit runs the steps of `commit`; those of `touched`
// run if the change touches their files, and those of `night` each night. `.ci/run` installs what they need and calls this.
// A test that fails runs once more at the end, alone. If it passes then, FLAKY is printed with its name; the night fails on it.
// The last line sums up tests, contract cases and steps: "N passed, N failed".
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { keepBytecode } from "./python.ts";
import { failureIn, runSteps, type Step, type StepResult } from "./steps.ts";
import { testSteps } from "./test.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const reports = mkdtempSync(join(tmpdir(), "call-transfer-ci-"));

/** The file in which Vitest reports the tests of a step. */
const reportOf = (name: string): string => join(reports, `${name.replaceAll(/\W+/g, "-")}.json`);
const reporters = (name: string): string[] => [
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${reportOf(name)}`,
];
const npm = (...options: string[]): Step => ({ name: `npm ${options.join(" ")}`, command: ["npm", ...options] });
const run = (script: string, ...options: string[]): Step =>
  npm("run", script, ...(options.length > 0 ? ["--", ...options] : []));
const build = run("build");
const tools: Step = { name: "tests/tools", command: ["node", "scripts/commands/prepare.ts", "tools"] };
/** Needs the packages that the build made. */
const built = (script: string, ...options: string[]): Step => ({ ...run(script, ...options), after: [build.name] });
/** Uses tests/tools as well. Waiting for that install inside the check would keep a lane from others. */
const equipped = (...options: string[]): Step => ({ ...built("check", ...options), after: [build.name, tools.name] });
/** Tests of one project of vitest.config.ts. */
const vitest = (name: string, ...options: string[]): Step => ({
  name,
  command: ["npx", "vitest", "run", ...options, ...reporters(name)],
  after: [build.name],
});

/** It uses all cores, so it runs before the others. */
const tests: Step = { name: "npm test", command: ["npm", "test", "--", ...reporters("npm test")] };

/** In a real browser, the page of the mock server places a call, rings a group, and does eight other jobs. */
const tenJobs = vitest("browser: ten jobs", "--project=browser", "packages/inspector/tests/browser/ten-jobs");
const allBrowser = vitest("browser", "--project=browser");

/** The longest first, after what most of them wait for. */
const commit: readonly Step[] = [
  build,
  run("check", "python"),
  built("check", "packed"),
  built("check", "receiving", "stores"),
  tenJobs,
  built("demo"),
  run("release", "check"),
];

/** What runs if a change touches one of the files. */
const touched: readonly { readonly step: Step; readonly files: readonly string[] }[] = [
  {
    step: allBrowser,
    files: ["packages/{inspector,contract}/**", "packages/{backend,mock-server,sdk}/src/**", "openapi/control/**"],
  },
  { step: built("check", "site"), files: ["site/**", "docs/**", "openapi/**", "packages/backend/src/control/**"] },
  {
    step: equipped("hosting"),
    files: [
      ...["tests/hosting/**", "docs/hosting.md", "examples/stores/**", "packages/sdk/src/webhooks/**"],
      "packages/mock-server/src/{net,server,store,web,worker}/**",
    ],
  },
  {
    step: equipped("receiving", "recipes"),
    files: ["examples/recipes/**", "docs/recipes.md", "packages/sdk/src/webhooks/**", "tests/packages/*recipes*/**"],
  },
  { step: equipped("pages"), files: ["{README,CONTRIBUTING}.md", "docs/**", "examples/**", "tests/pages/**"] },
  { step: built("check", "document", "generators"), files: ["openapi/{paths,schemas}/**", "tests/generators/**"] },
  {
    step: {
      name: "workflows",
      command: ["node", "--conditions=@call-transfer/source", "tests/workflows/check-workflows.ts"],
    },
    files: [".github/**", "tests/workflows/**"],
  },
  {
    step: vitest("release", "--project=release"),
    files: ["scripts/release/**", "tests/release/**", ".changeset/config.json", "packages/*/package.json"],
  },
];

/** Each night has worlds of its own; a failure prints its seed. */
const worlds = 2000;
const today = Math.floor(Date.now() / 86_400_000);

/** What runs each night, beside all of the above. */
const night: readonly Step[] = [
  { ...run("test:contract", "--all"), after: [tools.name] },
  run("test:contract", "--target", "python-sync", "--target", "python-async"),
  { ...run("test:contract", "--target", "durable-object"), after: [tools.name] },
  { ...vitest("nightly", "--project=nightly"), after: [build.name, tools.name] },
  built("release", "rehearse"),
  ...["consumers", "runners", "add", "size"].map((part) => equipped("customers", part)),
  equipped("runtimes"),
  run("check", "document", "schemathesis"),
  built("lab", "mutants"),
  run("lab", "mutants", "facts"),
  run("lab", "simulate", "--from", String(today * worlds), "--seeds", String(worlds), "--calls", "200"),
  run("lab", "fire"),
  built("lab", "soak"),
];

/** All browser tests contain those that each commit runs. */
const withoutRepeats = (steps: readonly Step[]): Step[] =>
  steps.filter((step) => step !== tenJobs || !steps.includes(allBrowser));

const git = (...options: string[]): string | undefined => {
  const { status, stdout } = spawnSync("git", options, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
};

/**
 * Where the change begins: where its branch left the main one of origin, and on that branch itself the commit before. Undefined if
 * git does not know.
 */
function baseOf(revision: string | undefined): string | undefined {
  const left = git("merge-base", "HEAD", revision ?? "origin/HEAD");
  if (revision === undefined) return left !== undefined && left === git("rev-parse", "HEAD") ? "HEAD^" : left;
  if (left === undefined) throw new Error(`Git cannot compare with ${revision}. Fetch it, or name another revision.`);
  return left;
}

/** What every step uses. A change of it counts as one of everything. */
const common = ["package-lock.json", "tests/tools/**", "build/**", "vitest.config.ts", "scripts/{ci,steps,packed}.ts"];

/** The files that a change touches; undefined, for all, if git cannot say or if every step uses one. */
function changedSince(base: string | undefined): readonly string[] | undefined {
  const changed = base && git("diff", "--name-only", "--no-renames", base, "HEAD")?.split("\n").filter(Boolean);
  if (!changed || changed.some((path) => common.some((glob) => matchesGlob(path, glob)))) return undefined;
  return changed;
}

/** The steps of the change since a revision. */
function stepsOf(revision: string | undefined): Step[] {
  const base = baseOf(revision);
  const changed = changedSince(base);
  const tracked = git("ls-files")?.split("\n") ?? [];
  for (const glob of [...common, ...touched.flatMap(({ files }) => files)])
    if (!tracked.some((path) => matchesGlob(path, glob))) throw new Error(`No file matches ${glob} of scripts/ci.ts.`);
  const isTouched = (globs: readonly string[]): boolean =>
    changed === undefined || changed.some((path) => globs.some((glob) => matchesGlob(path, glob)));
  const chosen = touched.filter(({ files }) => isTouched(files)).map(({ step }) => step);
  const left = touched.filter(({ step }) => !chosen.includes(step)).map(({ step }) => step.name);
  if (left.length > 0) console.log(`Left out, because ${base}..HEAD touches none of their files: ${left.join(", ")}`);
  const isEquipped = chosen.some(({ after = [] }) => after.includes(tools.name));
  return withoutRepeats([...commit, ...(isEquipped ? [tools] : []), ...chosen]);
}

interface FailedTest {
  readonly file: string;
  readonly name: string;
}

interface Report {
  readonly passed: number;
  readonly failures: readonly FailedTest[];
}

/** What Vitest reports of a step; undefined if it did not come so far. */
function readReport(name: string): Report | undefined {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(reportOf(name), "utf8")) as {
      readonly numPassedTests: number;
      readonly testResults: readonly {
        readonly name: string;
        readonly status: string;
        readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
      }[];
    };
    const failures = testResults.flatMap(({ name: path, status, assertionResults }) => {
      const file = relative(root, path);
      const failed = assertionResults.filter((test) => test.status === "failed");
      // A file that cannot be loaded has no tests.
      if (failed.length === 0 && status === "failed") return [{ file, name: "the file" }];
      return failed.map(({ fullName }) => ({ file, name: fullName }));
    });
    return { passed: numPassedTests, failures };
  } catch {
    return undefined;
  }
}

/** The parts of a step that failed, each with what runs it once more. */
function againOf({ step, output }: StepResult): Step[] {
  if (step !== tests) return readAgain(step.name, step);
  const names = [...output.matchAll(/^=== (\S+): FAILED after/gm)].map(([, name = ""]) => name);
  const parts = testSteps().filter(({ name }) => names.includes(name));
  if (parts.length === 0) return [step];
  return parts.flatMap((part) => (part.name === "unit" ? readAgain(step.name, part) : [part]));
}

/** The files of a step's failed tests; the whole step, where Vitest did not report any. */
function readAgain(name: string, step: Step): Step[] {
  const files = new Set(readReport(name)?.failures.map(({ file }) => file));
  if (files.size === 0) return [{ ...step, after: [] }];
  const again = `${step.name}, again`;
  return [{ name: again, command: ["npx", "vitest", "run", ...files, "--maxWorkers=1", ...reporters(again)] }];
}

interface Outcome {
  readonly result: StepResult;
  readonly passed: number;
  readonly failed: number;
  /** What failed first and passed alone. */
  readonly flaky: readonly string[];
}

/** More failures than this have a common cause, which a second run would only repeat. */
const maxRepeated = 3;

async function judge(results: readonly StepResult[]): Promise<Outcome[]> {
  const failures = results.filter(({ passed }) => !passed);
  const outcomes: Outcome[] = [];
  for (const result of results) {
    const { step, passed, output } = result;
    const cases = Number(/^(\d+) passed, \d+ failed$/m.exec(output)?.[1] ?? 0);
    const report = readReport(step.name);
    const good = step === tests ? (report?.passed ?? 0) + cases : Number(passed);
    if (passed) {
      outcomes.push({ result, passed: good, failed: 0, flaky: [] });
      continue;
    }
    const names = report?.failures.map(({ file, name }) => `${file}: ${name}`) ?? [];
    const bad = step === tests ? Math.max(names.length, 1) : 1;
    const isRepeated =
      failures.length <= maxRepeated && (await runSteps(againOf(result), 1)).every((again) => again.passed);
    const flaky = names.length > 0 ? names : [step.name];
    if (isRepeated) outcomes.push({ result, passed: isNight ? good : good + bad, failed: isNight ? bad : 0, flaky });
    else outcomes.push({ result, passed: step === tests ? good : 0, failed: bad, flaky: [] });
  }
  return outcomes;
}

const [form, revision, ...rest] = process.argv.slice(2);
const isNight = form === "nightly";
if (rest.length > 0 || !(form === undefined || (isNight && !revision) || (form === "since" && revision))) {
  console.error("Run `.ci/run`, `.ci/run since REVISION` or `.ci/run nightly`.");
  process.exit(2);
}
// Every program that a check starts compiles its sources once.
Object.assign(process.env, keepBytecode);
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/node");

const startedAt = performance.now();
const steps = isNight
  ? withoutRepeats([...commit, tools, ...touched.map(({ step }) => step), ...night])
  : stepsOf(revision);
const outcomes = await judge([...(await runSteps([tests], 1)), ...(await runSteps(steps, 2))]);
rmSync(reports, { recursive: true, force: true });

console.log("\n  time  processor");
for (const { result, failed, flaky } of outcomes.toSorted(
  (one, other) =>
    other.result.processorSeconds - one.result.processorSeconds || other.result.seconds - one.result.seconds,
)) {
  const { step, seconds, processorSeconds } = result;
  const mark = failed > 0 ? "  FAILED" : flaky.length > 0 ? "  FLAKY" : "";
  console.log(`${String(seconds).padStart(4)} s  ${String(processorSeconds).padStart(7)} s  ${step.name}${mark}`);
}
console.log(`${Math.round((performance.now() - startedAt) / 1000)} s in all`);
// Again, for who sees only the end of a long log.
for (const { result, failed } of outcomes)
  if (failed > 0) console.log(`\n=== What failed in ${result.step.name}:\n${failureIn(result.output)}`);
for (const name of outcomes.flatMap((outcome) => outcome.flaky)) console.log(`FLAKY ${name}`);
const sum = (kind: "passed" | "failed"): number => outcomes.reduce((total, outcome) => total + outcome[kind], 0);
const failed = sum("failed");
console.log(`\n${sum("passed")} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
