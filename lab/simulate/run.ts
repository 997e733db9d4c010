// Runs worlds seed by seed and sums up their results.
import { createHash } from "node:crypto";
import { violationsOf } from "./invariants.ts";
import { usualCalls } from "./plan.ts";
import type { Evidence, Violation } from "./records.ts";
import { add, failureLines, mostDetailed, noTotals, type Result, type Totals } from "./report.ts";
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

/** Runs worlds, and prints failures as they happen. */
export async function runWorlds({ from, seeds, calls, trace }: Range): Promise<Result> {
  // Stack traces of expected errors take time and are never printed.
  Error.stackTraceLimit = 0;
  const totals = noTotals();
  const digest = createHash("sha256");
  const failed: number[] = [];
  const progress = createProgress();
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  for (let index = 0; index < seeds; index += 1) {
    const seed = from + index;
    const { hash, violations, evidence } = await simulate(seed, calls);
    const found = [...violations];
    if (index % twiceEvery === 0) {
      const again = await simulate(seed, calls);
      if (again.hash !== hash)
        found.push({ invariant: "14 same seed, same trace", message: `the second run gave ${again.hash}` });
    }
    if (trace) console.log(evidence.trace.join("\n"));
    if (found.length > 0) {
      failed.push(seed);
      if (failed.length <= mostDetailed) console.log(failureLines({ seed, hash, violations: found }, calls).join("\n"));
    } else if (trace) console.log(`seed ${seed}, trace ${hash}: all invariants hold`);
    digest.update(`${hash}\n`);
    add(totals, evidence);
    progress((index + 1) / seeds, totals, seconds());
  }
  const { user, system } = process.cpuUsage();
  return {
    ...{ from, seeds, failed, totals, seconds: seconds(), coreSeconds: (user + system) / 1e6 },
    digest: digest.digest("hex").slice(0, 16),
  };
}
