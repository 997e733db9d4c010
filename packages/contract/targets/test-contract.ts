// Runs the contract suite without a test framework: on every target, or on those that `--target` names.
import { parseArgs } from "node:util";
import { cases } from "../src/cases/index.ts";
import { type Coverage, coverageGaps, measureCoverage } from "../src/coverage/coverage.ts";
import { runsText, totalsOf } from "../src/coverage/summary.ts";
import { main as askServer } from "../src/live/main.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { isMockServer, mockServerAt } from "./address.ts";
import { caseTable, classTable, coverageJson, coverageMarkdown } from "./report.ts";
import { keepSummary, writeReport } from "./reports.ts";
import { targets } from "./targets.ts";

const names = Object.keys(targets);
const usage = `Usage: npm run test:contract -- [--target NAME]... [--json]

  --target NAME  one of ${names.join(", ")},
                 or the address of a server; may be given several times; all names unless given
  --json         prints the results as one JSON document

At an address where a mock server answers, each case gets a sandbox of its own (its control plane's token, where it wants
one, in CALL_TRANSFER_CONTROL_TOKEN). Any other server is asked as call-transfer-contract --base-url does, which only
reads: with its credential in CALL_TRANSFER_API_KEY.

Writes the coverage of the targets that ran to reports/contract-coverage.md and .json. A run on all targets also updates the
numbers in docs/contract-coverage.md, and fails when one falls; where CI is set, it fails when they are behind instead.`;

const isAddress = (name: string): boolean => /^https?:\/\//.test(name);

interface Result {
  readonly target: string;
  readonly runs: readonly CaseResult[];
  readonly tookMs: number;
  /** Why the target could not be started, or was lost on the way. */
  readonly broken?: string;
}

/** What a target made of the cases; undefined where this machine lacks what the target needs. */
async function runTarget(target: string): Promise<Result | undefined> {
  const runs: CaseResult[] = [];
  const startedAt = performance.now();
  const tookMs = () => Math.round(performance.now() - startedAt);
  try {
    const runner = isAddress(target) ? mockServerAt(target) : await targets[target]?.();
    if (runner === undefined) return undefined;
    await runner.run(cases, (run) => runs.push(run));
  } catch (error) {
    return { target, runs, tookMs: tookMs(), broken: error instanceof Error ? error.message : String(error) };
  }
  const broken = runs.length === cases.length ? {} : { broken: `${runs.length} of ${cases.length} cases came back` };
  return { target, runs, tookMs: tookMs(), ...broken };
}

/** Writes the full reports and, after a whole run, the committed numbers; what is wrong with them, in words. */
function report(coverage: Coverage, isWhole: boolean): string[] {
  writeReport("contract-coverage.json", coverageJson(coverage));
  writeReport("contract-coverage.md", coverageMarkdown(coverage));
  if (!isWhole) return [];
  const sections = [
    { heading: "Covered cells", text: classTable(coverage) },
    { heading: "Cases", text: caseTable(coverage), mayFall: true },
  ];
  return keepSummary(sections, "npm run test:contract");
}

/** How many of the documented cells each target covers. */
function coveredText({ rows, tallies }: Coverage, gaps: number): string {
  const counts = tallies.map(({ target }) => {
    const covered = rows.filter(({ expected, reached }) => reached.get(target) === expected).length;
    return `${target} ${covered}`;
  });
  return `${rows.length} documented cells; covered: ${counts.join(", ")}; ${gaps} gaps that nothing excuses`;
}

function parse() {
  try {
    const { values } = parseArgs({
      options: { target: { type: "string", multiple: true }, json: { type: "boolean" }, help: { type: "boolean" } },
    });
    const unknown = values.target?.filter((name) => !(names.includes(name) || isAddress(name))) ?? [];
    if (unknown.length > 0) throw new Error(`There is no target ${unknown.join(", ")}.`);
    return values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

const { target: asked, json = false, help = false } = parse();
if (help) {
  console.log(usage);
  process.exit(0);
}

const results: Result[] = [];
/** The highest exit status of the servers that were asked as any other server is. */
let liveStatus = 0;
for (const target of new Set((asked ?? names).map((name) => name.replace(/\/+$/, "")))) {
  if (isAddress(target) && !(await isMockServer(target))) {
    const status = await askServer({
      args: ["--base-url", target, ...(json ? ["--json"] : [])],
      environment: process.env,
      out: (text) => console.log(text),
      err: (text) => console.error(text),
    });
    liveStatus = Math.max(liveStatus, status);
    continue;
  }
  const result = await runTarget(target);
  if (result === undefined) continue;
  results.push(result);
  if (!json) console.log(runsText(target, result.runs, result.tookMs));
  if (result.broken !== undefined) console.error(`  BROKEN ${target}: ${result.broken}`);
}

const runs = results.flatMap((result) => result.runs);
const isBroken = results.some(({ broken }) => broken !== undefined);
const { passed, failed } = totalsOf(runs);
// What failed tells nothing about the coverage of what passes.
const coverage = failed === 0 && !isBroken ? measureCoverage(runs) : undefined;
const gaps = coverage ? coverageGaps(coverage) : [];
const isWhole = names.every((name) => results.some(({ target }) => target === name));
const problems = [...gaps, ...(coverage ? report(coverage, isWhole && gaps.length === 0) : [])];

if (json && results.length > 0) console.log(JSON.stringify({ targets: results, problems }, null, 2));
if (!json && coverage && results.length > 0) console.log(coveredText(coverage, gaps.length));
for (const problem of problems) console.error(problem);
const broken = results.filter((result) => result.broken !== undefined).length;
if (!json && results.length > 0) console.log(`${passed} passed, ${failed + problems.length + broken} failed`);
process.exitCode = failed > 0 || problems.length > 0 || isBroken ? 1 : liveStatus;
