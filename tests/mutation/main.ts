// Plants every listed bug in the reference backend and names the contract case that catches it: npm run mutants -- --help
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keepSummary, writeReport } from "../../packages/contract/targets/reports.ts";
import { mutants } from "./mutants.ts";
import type { Outcome } from "./worker.ts";

const help = `Plants every listed bug in the reference backend. The contract suite must catch each.

  --only TEXT  only mutants whose name or group holds the text
  --why        also print the failure of the case

A run of all mutants writes reports/contract-mutants.md, which names the case that caught each, and updates the numbers in
docs/contract-coverage.md. Where CI is set, it fails when those numbers are out of date.`;

/** Real milliseconds after which a mutant counts as one that never ends. */
const timeLimitMs = 300_000;
/** The most mutants that one process tries: each copy of the backend stays in its memory. */
const mostPerProcess = 100;

const start = (): ChildProcess =>
  fork(fileURLToPath(new URL("worker.ts", import.meta.url)), {
    execArgv: [...process.execArgv, "--disable-warning=ExperimentalWarning"],
  });

/** Tries one mutant. A process that ends or takes too long did not catch it. */
async function tryOne(child: ChildProcess, name: string): Promise<Outcome> {
  child.send(name);
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(timeLimitMs)]);
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([outcome]) => outcome as Outcome),
      once(child, "exit", { signal }).then(([code]): Outcome => ({ broken: `its process ended with ${code}` })),
    ]);
  } catch {
    return { broken: `it did not end within ${timeLimitMs / 1000} s` };
  } finally {
    done.abort();
  }
}

/** Tries mutants, several at a time. */
async function tryAll(names: readonly string[], onOutcome: (name: string, outcome: Outcome) => void): Promise<void> {
  const waiting = [...names];
  const work = async (): Promise<void> => {
    let child = start();
    let tried = 0;
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const outcome = await tryOne(child, name);
      onOutcome(name, outcome);
      tried += 1;
      if (tried < mostPerProcess && outcome.broken === undefined) continue;
      child.kill("SIGKILL");
      child = start();
      tried = 0;
    }
    child.kill("SIGKILL");
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), names.length, 4) }, work));
}

const row = (...cells: string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const groups = [...Map.groupBy(mutants, ({ group }) => group)];

/** How many mutants each group has: all of them are caught, or the run fails. */
const summary = [
  row("Area of the mutant", "Mutants caught"),
  row("---", "---"),
  ...groups.map(([group, members]) => row(group, String(members.length))),
].join("\n");

const reportOf = (outcomes: ReadonlyMap<string, Outcome>): string =>
  `${[
    "# Mutants",
    "",
    "Written by `npm run mutants`, which breaks the reference backend in one place at a time and runs the contract suite on",
    "it. Each mutant must fail a case; the table names the first case that fails. A rule such as §8.3 is a rule of",
    "[the specification](../docs/specification.md), one such as A-24 a row of [the assumptions](../docs/assumptions.md).",
    "",
    `${mutants.length} mutants, all caught.`,
    ...groups.flatMap(([group, members]) => [
      `\n## ${group}\n`,
      row("The backend", "Rule", "First caught by"),
      row("---", "---", "---"),
      ...members.map(({ name, rule }) => row(name, rule, outcomes.get(name)?.caughtBy ?? "no case")),
    ]),
  ].join("\n")}\n`;

const { values } = parseArgs({
  options: { only: { type: "string", default: "" }, why: { type: "boolean" }, help: { type: "boolean" } },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}

const chosen = mutants.filter(({ group, name }) => `${group}: ${name}`.includes(values.only));
if (chosen.length === 0) throw new Error(`No mutant's name or group holds "${values.only}".`);

const started = performance.now();
const outcomes = new Map<string, Outcome>();
const textOf = ({ caughtBy, broken }: Outcome): string =>
  broken !== undefined ? `BROKEN: ${broken}` : (caughtBy ?? "SURVIVED");

// A case that fails on the correct backend proves nothing about a wrong one.
const control = "no mutant";
await tryAll([control], (name, outcome) => outcomes.set(name, outcome));
const { caughtBy, failure, broken } = outcomes.get(control) ?? {};
if (caughtBy !== undefined || broken !== undefined)
  throw new Error(`The correct backend fails: ${caughtBy ?? ""} ${failure ?? broken}`);
console.log(`${control}: every case passes`);

const rules = new Map(chosen.map(({ name, rule }) => [name, rule]));
await tryAll([...rules.keys()], (name, outcome) => {
  outcomes.set(name, outcome);
  console.log(`${name.padEnd(58)} ${(rules.get(name) ?? "").padEnd(12)} ${textOf(outcome)}`);
  if (values.why && outcome.failure) console.log(`    ${outcome.failure.split("\n")[0]}`);
});

const missed = [...rules.keys()].filter((name) => outcomes.get(name)?.caughtBy === undefined);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${rules.size - missed.length} caught, ${missed.length} survived, in ${seconds} s`);
for (const name of missed) console.log(`  ${name}: ${textOf(outcomes.get(name) ?? {})}`);
const isWhole = values.only === "" && missed.length === 0;
if (isWhole) writeReport("contract-mutants.md", reportOf(outcomes));
const problems = isWhole ? keepSummary([{ heading: "Mutants", text: summary }], "npm run mutants") : [];
for (const problem of problems) console.error(problem);
if (missed.length > 0 || problems.length > 0) process.exitCode = 1;
