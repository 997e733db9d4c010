// A run from the command line: worlds in the order of their seeds, until there are enough.
import { allCells } from "./faults.ts";
import { cellTable, createProgress, figures, missedAnswers, missedCells } from "./report.ts";
import { add, noTotals, type Outcome, simulate } from "./run.ts";

/** Which worlds to run. */
export interface Range {
  readonly from: number;
  /** How many seeds; undefined where only attempts count. */
  readonly seeds: number | undefined;
  /** How many attempts are enough; undefined where only seeds count. */
  readonly attempts: number | undefined;
  /** Every `of`-th seed, starting with the one at `index`, from 0. */
  readonly shard: { readonly index: number; readonly of: number };
  /** Calls per world. */
  readonly calls: number;
  /** Whether to print what happened in each world. */
  readonly trace: boolean;
}

/** Worlds whose trace is compared with a second run of theirs: the first of so many. */
const twiceEvery = 50;
const mostFailures = 5;

function tell({ seed, hash, violations, evidence }: Outcome, calls: number, trace: boolean): void {
  if (trace) console.log(evidence.trace.join("\n"));
  if (violations.length === 0 && !trace) return;
  console.log(`seed ${seed}, trace ${hash}: ${violations.length === 0 ? "all invariants hold" : "FAILED"}`);
  for (const { invariant, message } of violations.slice(0, 10)) console.log(`  ${invariant}: ${message}`);
  if (violations.length > 0)
    console.log(`  replay: npm run simulate -- --from ${seed} --seeds 1 --calls ${calls} --trace`);
}

/** Runs worlds and prints what they show; false when an invariant broke or a cell was never met. */
export async function runRange({ from, seeds, attempts, shard, calls, trace }: Range): Promise<boolean> {
  // Stacks are costly, and nobody reads those of expected errors.
  Error.stackTraceLimit = 0;
  const totals = noTotals();
  const progress = createProgress((sums) =>
    seeds === undefined ? sums.attempts / (attempts ?? 1) : (sums.worlds * shard.of) / seeds,
  );
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let failures = 0;
  const isEnough = (index: number) =>
    (seeds !== undefined && index >= seeds) || (attempts !== undefined && totals.attempts >= attempts);
  for (let index = shard.index; !isEnough(index) && failures < mostFailures; index += shard.of) {
    const outcome = await simulate(from + index, calls);
    tell(outcome, calls, trace);
    if (outcome.violations.length > 0) failures += 1;
    add(totals, outcome);
    if ((index - shard.index) % (twiceEvery * shard.of) === 0) {
      const again = await simulate(from + index, calls);
      if (again.hash !== outcome.hash) {
        failures += 1;
        console.log(`14 same seed, same trace: seed ${from + index} gave ${outcome.hash}, then ${again.hash}`);
      }
    }
    progress(totals, seconds());
  }
  console.log(cellTable(totals));
  for (const line of figures(totals, seconds())) console.log(line);
  const missed = [...missedCells(totals), ...missedAnswers(totals)];
  const isLarge = totals.worlds >= allCells.length;
  if (isLarge && missed.length > 0) console.log(`cells never met: ${missed.join(", ")}`);
  console.log(failures === 0 ? "every invariant held" : `${failures} seeds failed`);
  return failures === 0 && !(isLarge && missed.length > 0);
}
