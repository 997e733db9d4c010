// Runs the contract suite without a test framework: on four targets, on those of `--target`, or on `--all`.
import { parseArgs } from "node:util";
import { cases } from "../src/cases/index.ts";
import { type Coverage, coverageGaps, measureCoverage, runsText, totalsOf } from "../src/coverage/coverage.ts";
import { contract } from "../src/document/document.ts";
import { main as checkLiveServer } from "../src/remote/main.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { messageOf } from "../src/suite/trace.ts";
import { isMockServer, mockServerAt } from "./address.ts";
import { assumptionsPage, unsaidFindings } from "./assumption-rows.ts";
import { contradictions } from "./compare/contradictions.ts";
import type { ContractDocument } from "./compare/document.ts";
import { caseTable, classTable, coverageMarkdown } from "./report.ts";
import { fallenSince, keepSummary, writeReport } from "./reports.ts";
import { defaultTargets, namedTargets, targets } from "./targets.ts";

const names = Object.keys(targets);
const others = Object.keys(namedTargets);
/** The targets of each client in another language. */
const clients: Readonly<Record<string, readonly string[]>> = { python: ["python-sync", "python-async"] };
const usage = `Usage: npm run test:contract -- [--target NAME]... [--all] [--client python] [--json]

  --target NAME  one of ${names.join(", ")},
                 durable-object after npm run check -- hosting,
                 or the address of a server; repeatable (default: ${defaultTargets.join(", ")})
  --all          all names of the first line; it takes some minutes, and a browser
  --client NAME  the cases through a client in another language: ${Object.keys(clients).join(", ")}
  --json         print the results as one JSON document

At the address of a mock server, each case gets its own sandbox. If its control plane requires a token,
set CALL_TRANSFER_CONTROL_TOKEN. Any other server is checked like call-transfer-contract --base-url does,
with GET requests only. Set its credential in CALL_TRANSFER_API_KEY.

Writes the coverage to reports/contract-coverage.md, and fails when a number in docs/contract-coverage.md
falls. A run on all targets also updates the numbers there. With CI set, it fails when they are outdated
and does not update them.`;

const record = "npm run record -- coverage";
const isAddress = (name: string): boolean => /^https?:\/\//.test(name);

interface Result {
  readonly target: string;
  readonly runs: readonly CaseResult[];
  readonly durationMs: number;
  /** Why the target could not be started, or stopped. */
  readonly broken?: string;
}

/** The message of an error, with that of its cause: `fetch` says there why it failed. */
function messageWithCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageWithCause(cause)}`;
}

/** Runs all cases on a target; undefined when this machine cannot run the target. */
async function runTarget(target: string): Promise<Result | undefined> {
  const runs: CaseResult[] = [];
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  try {
    const runner = isAddress(target) ? mockServerAt(target) : await { ...targets, ...namedTargets }[target]?.();
    if (runner === undefined) return undefined;
    await runner.run(cases, (run) => runs.push(run));
  } catch (error) {
    return { target, runs, durationMs: durationMs(), broken: messageWithCause(error) };
  }
  const broken =
    runs.length === cases.length ? {} : { broken: `only ${runs.length} of ${cases.length} cases returned a result` };
  return { target, runs, durationMs: durationMs(), ...broken };
}

/** Writes the full reports and, after a complete run, the committed numbers; returns the problems. */
function report(coverage: Coverage, isWhole: boolean): string[] {
  writeReport("contract-coverage.md", coverageMarkdown(coverage));
  const sections = [
    { heading: "Covered cells", text: classTable(coverage) },
    { heading: "Cases", text: caseTable(coverage), mayFall: true },
  ];
  if (!isWhole) return fallenSince(sections, record);
  return keepSummary(sections, record);
}

/** The number of documented cells that each target covers. */
function coveredText({ rows, tallies }: Coverage, gaps: number): string {
  const counts = tallies.map(({ target }) => {
    const covered = rows.filter(({ expected, reached }) => reached.get(target) === expected).length;
    return `${target} ${covered}`;
  });
  return `${rows.length} documented cells; covered: ${counts.join(", ")}; ${gaps} unexplained gaps`;
}

function parse() {
  try {
    const { values } = parseArgs({
      options: {
        target: { type: "string", multiple: true },
        all: { type: "boolean" },
        client: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
    const unknown = values.target?.filter((name) => !([...names, ...others].includes(name) || isAddress(name))) ?? [];
    if (unknown.length > 0) throw new Error(`Unknown target ${unknown.join(", ")}.`);
    const ofClient = values.client === undefined ? [] : clients[values.client];
    if (ofClient === undefined) throw new Error(`Unknown client ${values.client}.`);
    const asked = [...(values.all ? names : []), ...(values.target ?? []), ...ofClient];
    return { ...values, asked: asked.length > 0 ? asked : defaultTargets };
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    process.exit(2);
  }
}

const { asked, json = false, help = false } = parse();
if (help) {
  console.log(usage);
  process.exit(0);
}

// Cases on a wrong contract would prove the wrong thing.
const wrongFacts = contradictions(contract as ContractDocument);
for (const sentence of wrongFacts) console.error(sentence);
if (wrongFacts.length > 0) process.exit(1);

const results: Result[] = [];
/** The highest exit status of the live servers. */
let liveStatus = 0;
for (const target of new Set(asked.map((name) => name.replace(/\/+$/, "")))) {
  if (isAddress(target) && !(await isMockServer(target))) {
    const status = await checkLiveServer({
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
  if (!json) console.log(runsText(target, result.runs, result.durationMs));
  if (result.broken !== undefined) console.error(`  BROKEN ${target}: ${result.broken}`);
}

const runs = results.flatMap((result) => result.runs);
const isBroken = results.some(({ broken }) => broken !== undefined);
const { passed, failed } = totalsOf(runs);
// Coverage is only measured when all cases pass.
const coverage = failed === 0 && !isBroken ? measureCoverage(runs) : undefined;
const gaps = coverage ? coverageGaps(coverage) : [];
const isWhole = names.every((name) => results.some(({ target }) => target === name));
const unsaid = unsaidFindings(
  runs.flatMap(({ findings }) => findings),
  assumptionsPage(),
);
const problems = [...gaps, ...unsaid, ...(coverage ? report(coverage, isWhole && gaps.length === 0) : [])];

if (json && results.length > 0) console.log(JSON.stringify({ targets: results, problems }, null, 2));
if (!json && coverage && results.length > 0) console.log(coveredText(coverage, gaps.length));
for (const problem of problems) console.error(problem);
const broken = results.filter((result) => result.broken !== undefined).length;
if (!json && results.length > 0) console.log(`${passed} passed, ${failed + problems.length + broken} failed`);
process.exitCode = failed > 0 || problems.length > 0 || isBroken ? 1 : liveStatus;
