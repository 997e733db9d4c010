// Runs worlds seed by seed and sums up their results.
import { createHash } from "node:crypto";
import { violationsOf } from "./invariants.ts";
import { usualCalls } from "./plan.ts";
import type { Evidence, Violation } from "./records.ts";
import { type Failure, failureLines, mostDetailed, type Result } from "./report.ts";
import { add, noTotals, type Totals } from "./totals.ts";
import { runWorld } from "./world.ts";

/** The result of one world. */
export interface Outcome {
  readonly seed: number;
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
  return { seed, hash, violations, evidence };
}

/** Receives how much of a run is done, from 0 to 1. */
type Progress = (done: number, totals: Totals, seconds: number) => void;

/** Prints the progress of a run: in place on a terminal, otherwise as a line every 15 seconds. */
function createProgress(): Progress {
  const { stderr } = process;
  let next = 0;
  return (done, totals, seconds) => {
    if (seconds < next && done < 1) return;
    next = seconds + (stderr.isTTY ? 0.2 : 15);
    const rate = Math.round(totals.attempts / seconds);
    const line = `${Math.floor(done * 100)} %  ${totals.worlds} worlds  ${totals.attempts} attempts  ${rate}/s`;
    stderr.write(stderr.isTTY ? `\r\x1b[2K${line}${done < 1 ? "" : "\n"}` : `${line}\n`);
  };
}

/** The worlds to run. */
export interface Range {
  /** The first seed of the whole run. */
  readonly from: number;
  /** The first world, counted from `from`. */
  readonly start: number;
  /** The world after the last one, counted from `from`; undefined if `attempts` decides. */
  readonly end: number | undefined;
  /** The number of attempts after which the run ends; undefined if `end` decides. */
  readonly attempts: number | undefined;
  /** Calls per world. */
  readonly calls: number;
  /** Whether to print the trace of each world. */
  readonly trace: boolean;
}

/** Every 50th world of a run plays twice, and the traces are compared. */
const twiceEvery = 50;

/** What a run uses; other functions in tests. */
interface Surroundings {
  readonly play?: typeof simulate;
  readonly print?: (text: string) => void;
  readonly progress?: Progress;
}

/** Runs worlds, and prints failures as they happen. */
export async function runWorlds(
  { from, start, end, attempts, calls, trace }: Range,
  { play = simulate, print = console.log, progress = createProgress() }: Surroundings = {},
): Promise<Result> {
  // Stack traces of expected errors take time and are never printed.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const totals = noTotals();
  const hashes: string[] = [];
  const failures: Failure[] = [];
  const done = () => (end === undefined ? totals.attempts / (attempts ?? 1) : totals.worlds / (end - start));
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const isEnough = (index: number) =>
    (end !== undefined && index >= end) || (attempts !== undefined && totals.attempts >= attempts);
  for (let index = start; !isEnough(index); index += 1) {
    const seed = from + index;
    const { hash, violations, evidence } = await play(seed, calls);
    const found = [...violations];
    if (index % twiceEvery === 0) {
      const again = await play(seed, calls);
      if (again.hash !== hash)
        found.push({ invariant: "14 same seed, same trace", message: `the second run gave ${again.hash}` });
    }
    if (trace) print(evidence.trace.join("\n"));
    if (found.length > 0) {
      const failure = { seed, hash, violations: found.slice(0, 10) };
      failures.push(failure);
      if (failures.length <= mostDetailed) print(failureLines(failure, calls).join("\n"));
    } else if (trace) print(`seed ${seed}, trace ${hash}: all invariants hold`);
    hashes.push(hash);
    add(totals, evidence);
    progress(Math.min(1, done()), totals, seconds());
  }
  Error.stackTraceLimit = stackTraceLimit;
  const { user, system } = process.cpuUsage();
  return { hashes, failures, totals, seconds: seconds(), coreSeconds: (user + system) / 1e6 };
}
