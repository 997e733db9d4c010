// Runs worlds seed by seed, checks their invariants, and counts what they cover.
import { createHash } from "node:crypto";
import { allCells, cellKey } from "./faults.ts";
import { duplicated, violationsOf } from "./invariants.ts";
import { usualCalls } from "./plan.ts";
import type { Evidence, Violation } from "./records.ts";
import { runWorld } from "./world.ts";

/** The result of one world. */
export interface Outcome {
  /** A hash of the trace. It is the same for the same seed on every machine. */
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly evidence: Evidence;
}

let stray: unknown[] = [];
process.on("unhandledRejection", (reason) => stray.push(reason));

/** Runs the world of one seed and checks the invariants. */
export async function simulate(seed: number, size = usualCalls): Promise<Outcome> {
  stray = [];
  const evidence = await runWorld(seed, size);
  // Node reports unhandled rejections after the microtasks of the current turn.
  await new Promise((resolve) => setImmediate(resolve));
  const violations = violationsOf(evidence);
  for (const reason of stray)
    violations.push({ invariant: "8 nothing is left open", message: `unhandled rejection: ${reason}` });
  const hash = createHash("sha256").update(evidence.trace.join("\n")).digest("hex").slice(0, 16);
  return { hash, violations, evidence };
}

/** The command that repeats a world. */
export const replayOf = (seed: number, calls: number): string =>
  `npm run lab -- simulate --from ${seed} --seeds 1 --calls ${calls} --trace`;

/** What many worlds covered. */
export class Coverage {
  worlds = 0;
  attempts = 0;
  /** Placements and rotations that were executed more than once, by the policy of their client. */
  readonly duplicates = { throw: 0, check: 0, retry: 0 };
  readonly #cells = new Set<string>();

  add({ attempts, calls, plan }: Evidence): void {
    this.worlds += 1;
    this.attempts += attempts.length;
    for (const { client } of duplicated(calls)) this.duplicates[client.plan.onUnknownOutcome] += 1;
    const { callListDelaySecs = 0, includeQueuedCalls = true } = plan.policies;
    for (const { fault, operation, client } of attempts) {
      this.#cells.add(cellKey(fault, operation));
      if (client.plan.skewMs !== 0) this.#cells.add(cellKey("clock_skew", operation));
      if (callListDelaySecs > 0) this.#cells.add(cellKey("lagging_call_list", operation));
      if (!includeQueuedCalls) this.#cells.add(cellKey("unlisted_queued_calls", operation));
    }
    for (const { abortedAt, plan: call } of calls)
      if (abortedAt !== undefined) this.#cells.add(cellKey("abort", call.operation));
  }

  /** The pairs of fault and operation that no world had. */
  missed(): string[] {
    return allCells.map(({ fault, operation }) => cellKey(fault, operation)).filter((key) => !this.#cells.has(key));
  }
}

/** The worlds to run. */
export interface Range {
  /** The first seed. */
  readonly from: number;
  /** The number of worlds. */
  readonly seeds: number;
  /** Calls per world. */
  readonly calls: number;
  /** Whether to print the trace of each world. */
  readonly trace: boolean;
}

/** Every 50th world of a run plays twice, and the traces are compared. */
const twiceEvery = 50;
const reportEveryMs = 15_000;

/** Runs worlds, and prints failures as they happen. Returns whether all invariants held and everything was covered. */
export async function runWorlds({ from, seeds, calls, trace }: Range): Promise<boolean> {
  // Stack traces of expected errors take time and are never printed.
  Error.stackTraceLimit = 0;
  const coverage = new Coverage();
  const failed: number[] = [];
  let reportedAt = performance.now();
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { hash, violations, evidence } = await simulate(seed, calls);
    const found = violations.map(({ invariant, message }) => `  ${invariant}: ${message}`);
    if ((seed - from) % twiceEvery === 0) {
      const again = await simulate(seed, calls);
      if (again.hash !== hash) found.push(`  14 same seed, same trace: the second run gave ${again.hash}`);
    }
    if (trace) console.log(evidence.trace.join("\n"));
    if (found.length > 0) failed.push(seed);
    if (found.length > 0 && failed.length <= 5)
      console.log([`seed ${seed}: FAILED`, ...found.slice(0, 10), `  replay: ${replayOf(seed, calls)}`].join("\n"));
    coverage.add(evidence);
    if (performance.now() - reportedAt < reportEveryMs) continue;
    reportedAt = performance.now();
    console.error(`${coverage.worlds} of ${seeds} worlds, ${coverage.attempts} attempts`);
  }
  // A run with fewer worlds need not cover every pair.
  const missed = coverage.worlds < allCells.length ? [] : coverage.missed();
  if (missed.length > 0) console.log(`not covered: ${missed.join(", ")}`);
  console.log(`${coverage.attempts} attempts in the worlds of the seeds ${from} to ${from + seeds - 1}`);
  console.log(failed.length === 0 ? "all invariants held" : `${failed.length} seeds failed: ${failed.join(", ")}`);
  return failed.length + missed.length === 0;
}
