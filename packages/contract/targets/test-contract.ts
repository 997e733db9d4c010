// Runs the contract suite without a test framework: on four targets, on those of `--target`, or on `--all`.
import { parseArgs } from "node:util";
import { browserHere } from "../../../build/browser.ts";
import { cases } from "../src/cases/index.ts";
import { coverageGaps, measureCoverage, runsText, totalsOf } from "../src/coverage/coverage.ts";
import { contract } from "../src/document/document.ts";
import type { CaseResult } from "../src/suite/run.ts";
import { messageOf } from "../src/suite/trace.ts";
import { type ContractDocument, contradictions } from "./contradictions.ts";
import { caseTable, classTable, keepTables, unsaidFindings } from "./report.ts";
import type { TargetRunner } from "./runner.ts";

/**
 * Every target by name, in the order in which they run. Each is loaded on demand, because some need a browser or other
 * servers; undefined without a browser, which has been reported then.
 */
const targets: Readonly<Record<string, () => Promise<TargetRunner | undefined>>> = {
  "in-process": async () => (await import("./in-process.ts")).inProcess,
  http: async () => (await import("./http.ts")).http,
  sqlite: async () => (await import("./sqlite.ts")).sqlite,
  msw: async () => (await import("./msw.ts")).msw,
  "msw-2": async () => (await import("./msw.ts")).msw2,
  "msw-browser": async () => ((await browserHere()) ? (await import("./msw-browser.ts")).mswBrowser : undefined),
  prism: async () => (await import("./prism.ts")).prism,
};

/** The targets of a run that names none. The others answer like one of these, with another client or server in between. */
const defaultTargets: readonly string[] = ["in-process", "http", "sqlite", "msw"];

/** Targets that run only when they are named, since they need what the workspace does not install. */
const namedTargets: typeof targets = {
  "python-sync": async () => (await import("./python.ts")).pythonSync,
  "python-async": async () => (await import("./python.ts")).pythonAsync,
  "durable-object": async () => (await import("./http.ts")).durableObject,
};

const names = Object.keys(targets);
const usage = `Usage: npm run test:contract -- [--target NAME]... [--all]

  --target NAME  one of ${names.join(", ")},
                 python-sync and python-async, which are the client for Python,
                 durable-object after npm run check -- hosting,
                 or the address of a mock server; repeatable (default: ${defaultTargets.join(", ")})
  --all          all names of the first line; it takes some minutes, and a browser

At the address of a mock server, each case gets its own sandbox. If its control plane requires a token,
set CALL_TRANSFER_CONTROL_TOKEN. Any other server is checked by call-transfer-contract --base-url.

A run on all targets updates the numbers in docs/contract-coverage.md. With CI set, it fails when they are
outdated and does not update them.`;

const record = "npm run record -- coverage";
const isAddress = (name: string): boolean => /^https?:\/\//.test(name);

/** The message of an error, with that of its cause: `fetch` says there why it failed. */
function messageWithCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? messageOf(error) : `${messageOf(error)}: ${messageWithCause(cause)}`;
}

/** The targets that were asked for. */
function asked(): readonly string[] {
  const options = {
    target: { type: "string", multiple: true, default: [] as string[] },
    all: { type: "boolean" },
  } as const;
  try {
    const { target, all } = parseArgs({ options }).values;
    const given = target.map((name) => name.replace(/\/+$/, ""));
    const unknown = given.filter((name) => !(name in targets || name in namedTargets || isAddress(name)));
    if (unknown.length > 0) throw new Error(`Unknown target ${unknown.join(", ")}.`);
    const chosen = new Set([...(all ? names : []), ...given]);
    return chosen.size > 0 ? [...chosen] : defaultTargets;
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${usage}`);
    process.exit(2);
  }
}

const chosen = asked();

// Cases on a wrong contract would prove the wrong thing.
const wrongFacts = contradictions(contract as ContractDocument);
for (const sentence of wrongFacts) console.error(sentence);
if (wrongFacts.length > 0) process.exit(1);

const runs: CaseResult[] = [];
/** The targets that returned a result for each case. */
const complete: string[] = [];
let broken = 0;
for (const target of chosen) {
  const own: CaseResult[] = [];
  const startedAt = performance.now();
  try {
    const runner = isAddress(target)
      ? (await import("./http.ts")).mockServerAt(target)
      : await { ...targets, ...namedTargets }[target]?.();
    if (runner === undefined) continue;
    await runner.run(cases, (run) => own.push(run));
    if (own.length !== cases.length) throw new Error(`only ${own.length} of ${cases.length} cases returned a result`);
    complete.push(target);
  } catch (error) {
    broken += 1;
    console.error(`  BROKEN ${target}: ${messageWithCause(error)}`);
  }
  runs.push(...own);
  console.log(runsText(target, own, Math.round(performance.now() - startedAt)));
}

const { passed, failed } = totalsOf(runs);
const problems = unsaidFindings(runs.flatMap(({ findings }) => findings));
// Coverage is only measured when all cases pass.
if (failed === 0 && broken === 0) {
  const coverage = measureCoverage(runs);
  const gaps = coverageGaps(coverage);
  problems.push(...gaps);
  if (gaps.length === 0 && names.every((name) => complete.includes(name)))
    problems.push(...keepTables({ "Covered cells": classTable(coverage), Cases: caseTable(coverage) }, record));
  const counts = coverage.tallies.map(({ target }) => {
    const covered = coverage.rows.filter(({ expected, reached }) => reached.get(target) === expected).length;
    return `${target} ${covered}`;
  });
  console.log(
    `${coverage.rows.length} documented cells; covered: ${counts.join(", ")}; ${gaps.length} unexplained gaps`,
  );
}
for (const problem of problems) console.error(problem);
console.log(`${passed} passed, ${failed + problems.length + broken} failed`);
if (failed + problems.length + broken > 0) process.exitCode = 1;
