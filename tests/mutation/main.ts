// Plants every known bug in the reference backend and names the contract case that catches it: npm run mutants -- --help
import { parseArgs } from "node:util";
import { keepSummary, writeReport } from "../../packages/contract/targets/reports.ts";
import { mutantGroups } from "./mutants.ts";
import { mutantsMarkdown, mutantsTable } from "./report.ts";
import { tryAll } from "./run.ts";
import type { Outcome } from "./worker.ts";

const help = `Plants every known bug in the reference backend; the contract suite must catch each.

  --only TEXT  only mutants whose name or group holds the text
  --why        print what the case said, too

A run of all mutants writes reports/contract-mutants.md, which names the case that caught each, and updates the numbers in
docs/contract-coverage.md; where CI is set, it fails when they are behind instead.`;

const { values } = parseArgs({
  options: { only: { type: "string" }, why: { type: "boolean" }, help: { type: "boolean" } },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}

const { only = "" } = values;
const chosen = Object.entries(mutantGroups).flatMap(([group, mutants]) =>
  mutants.filter(({ name }) => `${group}: ${name}`.includes(only)),
);
if (chosen.length === 0) throw new Error(`no mutant's name or group holds ${only}`);

/** The name under which a right backend is tried. */
const control = "no mutant";
const started = performance.now();
const outcomes = new Map<string, Outcome>();
const told = ({ caughtBy, broken }: Outcome): string =>
  broken !== undefined ? `BROKEN: ${broken}` : (caughtBy ?? "SURVIVED");

// What fails on a right backend proves nothing about a wrong one.
await tryAll([control], (name, outcome) => outcomes.set(name, outcome));
const { caughtBy, failure, broken } = outcomes.get(control) ?? {};
if (caughtBy !== undefined || broken !== undefined)
  throw new Error(`without any mutant: ${caughtBy ?? ""} ${failure ?? broken}`);
console.log(`${control}: every case passes`);

const rules = new Map(chosen.map(({ name, rule }) => [name, rule]));
await tryAll([...rules.keys()], (name, outcome) => {
  outcomes.set(name, outcome);
  console.log(`${name.padEnd(58)} ${(rules.get(name) ?? "").padEnd(12)} ${told(outcome)}`);
  if (values.why && outcome.failure) console.log(`    ${outcome.failure.split("\n")[0]}`);
});

const missed = [...rules.keys()].filter((name) => outcomes.get(name)?.caughtBy === undefined);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${rules.size - missed.length} caught, ${missed.length} survived, in ${seconds} s`);
for (const name of missed) console.log(`  ${name}: ${told(outcomes.get(name) ?? {})}`);
const isWhole = only === "" && missed.length === 0;
if (isWhole) writeReport("contract-mutants.md", mutantsMarkdown(outcomes));
const summary = { heading: "Mutants", text: mutantsTable() };
const problems = isWhole ? keepSummary([summary], "npm run mutants") : [];
for (const problem of problems) console.error(problem);
if (missed.length > 0 || problems.length > 0) process.exitCode = 1;
