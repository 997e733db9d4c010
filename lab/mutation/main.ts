// Plants every listed bug, one at a time, and reports what catches it: npm run lab -- mutants --help
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keepTables } from "../../packages/contract/targets/report.ts";
import { contractMutants, type Mutant, type Outcome, simulationMutants } from "./plant.ts";
import { checkWrongFacts } from "./wrong-facts.ts";

const help = `Plants every listed bug, one at a time. Something must catch each.

  contract     bugs in the reference backend, which a case of the contract suite must catch; the default
  simulation   bugs in the SDK and the backend, which an invariant of the simulation must catch
  facts        wrong facts in a copy of openapi/, which the comparison with the specification must catch

  --only TEXT     only try those whose name or group contains the text
  --reason        also print why the case failed

It prints the case that caught each one. A run of all those for the contract suite updates the numbers in
docs/contract-coverage.md. If CI is set, the run fails when those numbers are out of date.`;

interface Suite {
  readonly mutants: readonly Mutant[];
  readonly worker: URL;
  /** Mutants per process. For the contract suite, each copy of the backend stays in memory. */
  readonly mostPerProcess: number;
}

const suites: Readonly<Record<string, Suite>> = {
  contract: { mutants: contractMutants, worker: new URL("worker.ts", import.meta.url), mostPerProcess: 100 },
  simulation: {
    mutants: simulationMutants,
    worker: new URL("../simulate/mutant-worker.ts", import.meta.url),
    mostPerProcess: 1,
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "" }, reason: { type: "boolean" }, help: { type: "boolean" } },
});
const [suiteName = "contract"] = positionals;
if (values.help) {
  console.log(help);
  process.exit(0);
}
if (suiteName === "facts") process.exit((await checkWrongFacts(values.only)) ? 0 : 1);
const suite = suites[suiteName];
if (suite === undefined)
  throw new Error(`There are no mutants for ${suiteName}, only for contract, simulation, facts.`);
const { mutants, worker, mostPerProcess } = suite;

/** Milliseconds after which a mutant counts as endless. */
const timeLimitMs = 300_000;

const start = (): ChildProcess =>
  fork(fileURLToPath(worker), {
    execArgv: [...process.execArgv, "--disable-warning=ExperimentalWarning"],
  });

/** Tries one mutant. A process that exits or takes too long counts as broken. */
async function tryOne(child: ChildProcess, name: string): Promise<Outcome> {
  child.send(name);
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(timeLimitMs)]);
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([outcome]) => outcome as Outcome),
      once(child, "exit", { signal }).then(([code]): Outcome => ({ broken: `its process exited with code ${code}` })),
    ]);
  } catch {
    return { broken: `it did not finish within ${timeLimitMs / 1000} s` };
  } finally {
    done.abort();
  }
}

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

/** Mutants per group. All of them are caught, or the run fails. */
const summary = [
  row("Area of the mutant", "Mutants caught"),
  row("---", "---"),
  ...groups.map(([group, members]) => row(group, String(members.length))),
].join("\n");

const chosen = mutants.filter(({ group, name }) => `${group}: ${name}`.includes(values.only));
if (chosen.length === 0)
  throw new Error(`No name or group of a mutant contains "${values.only}". Run without --only to list all mutants.`);

const started = performance.now();
const outcomes = new Map<string, Outcome>();
const textOf = ({ caughtBy, broken }: Outcome): string =>
  broken !== undefined ? `BROKEN: ${broken}` : (caughtBy ?? "SURVIVED");

// The correct backend must pass every case. Otherwise a failed case would prove nothing.
const control = "no mutant";
await tryAll([control], (name, outcome) => outcomes.set(name, outcome));
const { caughtBy, failure, broken } = outcomes.get(control) ?? {};
if (caughtBy !== undefined || broken !== undefined)
  throw new Error(`The correct code fails: ${caughtBy ?? ""} ${failure ?? broken}`);
console.log(`${control}: nothing is found`);

const rules = new Map(chosen.map(({ name, rule }) => [name, rule]));
await tryAll([...rules.keys()], (name, outcome) => {
  outcomes.set(name, outcome);
  console.log(`${name.padEnd(58)} ${(rules.get(name) ?? "").padEnd(12)} ${textOf(outcome)}`);
  if (values.reason && outcome.failure) console.log(`    ${outcome.failure.split("\n")[0]}`);
});

const missed = [...rules.keys()].filter((name) => outcomes.get(name)?.caughtBy === undefined);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${rules.size - missed.length} caught, ${missed.length} survived, in ${seconds} s`);
for (const name of missed) console.log(`  ${name}: ${textOf(outcomes.get(name) ?? {})}`);
const isWhole = suiteName === "contract" && chosen.length === mutants.length && missed.length === 0;
const problems = isWhole ? keepTables({ Mutants: summary }, "npm run record -- mutants") : [];
for (const problem of problems) console.error(problem);
if (missed.length > 0 || problems.length > 0) process.exitCode = 1;
