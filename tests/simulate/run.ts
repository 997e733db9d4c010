// Runs worlds seed by seed and sums up what they show.
import { createHash } from "node:crypto";
import { allCells, answerClasses, answerClassOf, conditions, faultNames, kindNames, operationList } from "./faults.ts";
import { duplicated, violationsOf } from "./invariants.ts";
import { usualCalls } from "./plan.ts";
import { type Cells, cellKey, type Violation } from "./records.ts";
import { type Evidence, runWorld } from "./world.ts";

/** What one world came to. */
export interface Outcome {
  readonly seed: number;
  /** The same for the same seed, whatever the machine. */
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly evidence: Evidence;
}

/** Sums over many worlds. */
export interface Totals {
  worlds: number;
  attempts: number;
  calls: number;
  offers: number;
  offerCopies: number;
  /** Placements and rotations, and how many of them were carried out more than once, by policy. */
  readonly risky: Record<string, { calls: number; duplicates: number }>;
  readonly cells: Cells;
  /** How often each kind of middleware handed on an answer of each class. */
  readonly handedOn: Map<string, number>;
}

/** Sums of nothing. */
export const noTotals = (): Totals => ({
  worlds: 0,
  attempts: 0,
  calls: 0,
  offers: 0,
  offerCopies: 0,
  risky: {},
  cells: new Map(),
  handedOn: new Map(),
});

let stray: unknown[] = [];
process.on("unhandledRejection", (reason) => stray.push(reason));

/** Runs the world of one seed and holds it against the invariants. */
export async function simulate(seed: number, size = usualCalls): Promise<Outcome> {
  stray = [];
  const evidence = await runWorld(seed, size);
  // Unhandled rejections are told after the microtasks of the turn in which they happen.
  await new Promise((resolve) => setImmediate(resolve));
  const violations = violationsOf(evidence);
  for (const reason of stray) violations.push({ invariant: "8 at rest", message: `unhandled rejection: ${reason}` });
  const hash = createHash("sha256").update(evidence.trace.join("\n")).digest("hex").slice(0, 16);
  return { seed, hash, violations, evidence };
}

/** Adds a world to the sums. */
export function add(totals: Totals, { evidence }: Outcome): void {
  const { attempts, calls, offers, plan } = evidence;
  totals.worlds += 1;
  totals.attempts += attempts.length;
  totals.calls += calls.length;
  totals.offers += offers.offers;
  totals.offerCopies += offers.copies;
  for (const { client, plan: call } of calls) {
    if (call.operation.retry !== "once") continue;
    const { unsafe } = client.plan;
    const { calls: known, duplicates } = totals.risky[unsafe] ?? { calls: 0, duplicates: 0 };
    totals.risky[unsafe] = { calls: known + 1, duplicates };
  }
  for (const { client } of duplicated(calls)) {
    const sums = totals.risky[client.plan.unsafe];
    if (sums) sums.duplicates += 1;
  }
  const hit = (fault: Parameters<typeof cellKey>[0], operationId: string) => {
    const key = cellKey(fault, operationId);
    totals.cells.set(key, (totals.cells.get(key) ?? 0) + 1);
  };
  const { callListLagSecs = 0, queuedCallsListed = true } = plan.policies;
  for (const attempt of attempts) {
    const { fault, operation, client } = attempt;
    hit(fault, operation.id);
    const [kind, answer] = [client.plan.middleware, answerClassOf(attempt)];
    const key = `${kind} × ${answer}`;
    if (kind && answer) totals.handedOn.set(key, (totals.handedOn.get(key) ?? 0) + 1);
    if (client.plan.skewMs !== 0) hit("clock_skew", operation.id);
    if (callListLagSecs > 0 && operation.resource === "calls") hit("lagging_call_list", operation.id);
    if (!queuedCallsListed && operation.resource === "calls") hit("unlisted_queued_calls", operation.id);
  }
  for (const { abortedAt, plan: call } of calls) if (abortedAt !== undefined) hit("abort", call.operation.id);
}

// What a run shows, in words and tables.

/** Cells that a run never met. */
export const missedCells = ({ cells }: Totals): string[] =>
  allCells.map(({ fault, operation }) => cellKey(fault, operation.id)).filter((key) => !cells.has(key));

/** Kinds of middleware that never handed on an answer of a class. */
export const missedAnswers = ({ handedOn }: Totals): string[] =>
  kindNames.flatMap((kind) => answerClasses.map((answer) => `${kind} × ${answer}`)).filter((key) => !handedOn.has(key));

/** How often each fault met each operation. */
export function cellTable({ cells }: Totals): string {
  const letters = operationList.map((_, index) => String.fromCharCode(65 + index));
  const legend = operationList.map(({ id }, index) => `${letters[index]} ${id}`).join(", ");
  const known = new Set(allCells.map(({ fault, operation }) => cellKey(fault, operation.id)));
  const rows = [...faultNames, ...conditions].map((fault) => {
    const counts = operationList.map(({ id }) => {
      const key = cellKey(fault, id);
      return (known.has(key) ? String(cells.get(key) ?? 0) : "-").padStart(8);
    });
    return `${fault.padEnd(26)}${counts.join("")}`;
  });
  return [legend, "".padEnd(26) + letters.map((letter) => letter.padStart(8)).join(""), ...rows].join("\n");
}

/** The figures of a run, a line each. */
export function figures(totals: Totals, seconds: number): string[] {
  const { user, system } = process.cpuUsage();
  const perCore = Math.round(totals.attempts / ((user + system) / 1e6));
  const { attempts, calls, worlds, offers, offerCopies, risky, cells, handedOn } = totals;
  const hit = allCells.length - missedCells(totals).length;
  const lines = [
    `${attempts} attempts of ${calls} calls in ${worlds} worlds, ${Math.round(attempts / seconds)} attempts/s (${perCore} per second of one core's work)`,
    `${hit} of ${allCells.length} cells (fault × operation) met, ${sum(cells)} times in all`,
    `${kindNames.length * answerClasses.length - missedAnswers(totals).length} of ${kindNames.length * answerClasses.length} cells (middleware × class of answer) met, ${sum(handedOn)} answers read through middleware`,
    `${offers} offers delivered and verified, ${offerCopies} of them twice`,
  ];
  for (const [policy, words] of [
    ["never", "under the default policy"],
    ["check", "under retry.unsafe: check"],
    ["always", "under retry.unsafe: always"],
  ] as const) {
    const { calls: asked = 0, duplicates = 0 } = risky[policy] ?? {};
    lines.push(`${duplicates} of ${asked} placements and rotations carried out more than once ${words}`);
  }
  return lines;
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((one, other) => one + other, 0);

/** Tells how far a run is: in place on a terminal, else a line now and then. */
export function createProgress(goal: (totals: Totals) => number): (totals: Totals, seconds: number) => void {
  const { stderr } = process;
  let next = 0;
  return (totals, seconds) => {
    const done = Math.min(1, goal(totals));
    if (seconds < next && done < 1) return;
    next = seconds + (stderr.isTTY ? 0.2 : 15);
    const rate = Math.round(totals.attempts / seconds);
    const line = `${Math.floor(done * 100)} %  ${totals.worlds} worlds  ${totals.attempts} attempts  ${rate}/s`;
    stderr.write(stderr.isTTY ? `\r\x1b[2K${line}${done < 1 ? "" : "\n"}` : `${line}\n`);
  };
}

// A run from the command line: worlds in the order of their seeds, until there are enough.

/** Which worlds to run. */
export interface Range {
  readonly from: number;
  /** How many seeds; undefined where only attempts count. */
  readonly seeds: number | undefined;
  /** How many attempts are enough; undefined where only seeds count. */
  readonly attempts: number | undefined;
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
export async function runRange({ from, seeds, attempts, calls, trace }: Range): Promise<boolean> {
  // Stacks are costly, and nobody reads those of expected errors.
  Error.stackTraceLimit = 0;
  const totals = noTotals();
  const progress = createProgress((sums) =>
    seeds === undefined ? sums.attempts / (attempts ?? 1) : sums.worlds / seeds,
  );
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  let failures = 0;
  const isEnough = (index: number) =>
    (seeds !== undefined && index >= seeds) || (attempts !== undefined && totals.attempts >= attempts);
  for (let index = 0; !isEnough(index) && failures < mostFailures; index += 1) {
    const outcome = await simulate(from + index, calls);
    tell(outcome, calls, trace);
    if (outcome.violations.length > 0) failures += 1;
    add(totals, outcome);
    if (index % twiceEvery === 0) {
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
