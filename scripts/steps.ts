// Runs commands side by side. Each one's output appears in one piece when it ends, so that two never mix.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface Step {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** The names of the steps that must have passed before. */
  readonly after?: readonly string[];
}

export interface StepResult {
  readonly step: Step;
  readonly passed: boolean;
  /** Both streams, in the order in which they arrived. */
  readonly output: string;
  readonly seconds: number;
  /** Seconds of processor time; 0 on other systems than Linux. */
  readonly processorSeconds: number;
}

let countedSeconds = 0;

/** Seconds of processor time of the program that has just ended: Linux adds them up when a program ends. */
function secondsOfEnded(): number {
  if (process.platform !== "linux") return 0;
  const [user, system] = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ").slice(13, 15) ?? [];
  const all = (Number(user) + Number(system)) / 100;
  const added = all - countedSeconds;
  countedSeconds = all;
  return Math.round(added);
}

/** Runs a command to its end. */
export async function runStep(step: Step): Promise<StepResult> {
  const startedAt = performance.now();
  const [program, ...options] = step.command;
  // Windows starts npm, a script, through its shell only.
  const child = spawn(program, options, { stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output.push(text));
  let processorSeconds = 0;
  child.once("exit", () => {
    processorSeconds = secondsOfEnded();
  });
  const [status] = await once(child, "close");
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { step, passed: status === 0, output: output.join(""), seconds, processorSeconds };
}

function print({ step, passed, output, seconds, processorSeconds }: StepResult): void {
  console.log(`\n=== ${step.name}\n${output.trimEnd()}`);
  console.log(`=== ${step.name}: ${passed ? "passed" : "FAILED"} after ${seconds} s (processor ${processorSeconds} s)`);
}

/** The last lines of what failed: of the first part that failed, if the step ran several. */
export function failureIn(output: string, lines = 40): string {
  const [upToFailure = ""] = output.split(/^=== .+: FAILED after \d+ s \(processor \d+ s\)$/m);
  return upToFailure.trimEnd().split("\n").slice(-lines).join("\n");
}

/**
 * Runs every step, at most `lanes` at a time and in their order, also after one failed. A step that waits for another lets
 * those behind it go first; it fails when another that it waits for fails. Prints each as it ends.
 */
export async function runSteps(steps: readonly Step[], lanes = 2): Promise<StepResult[]> {
  const left = [...steps];
  const running = new Map<Step, Promise<void>>();
  const results: StepResult[] = [];
  const resultOf = (name: string) => results.find(({ step }) => step.name === name);
  const keep = (result: StepResult): void => {
    results.push(result);
    running.delete(result.step);
    print(result);
  };
  while (left.length > 0 || running.size > 0) {
    const next = left.findIndex(({ after = [] }) => after.every(resultOf));
    const [step] = next < 0 || running.size >= lanes ? [] : left.splice(next, 1);
    if (step === undefined) {
      if (running.size === 0)
        throw new Error(`${left[0]?.name} waits for a step that is missing: ${left[0]?.after?.join(" or ")}.`);
      await Promise.race(running.values());
      continue;
    }
    const failed = step.after?.find((name) => resultOf(name)?.passed === false);
    if (failed === undefined) running.set(step, runStep(step).then(keep));
    else keep({ step, passed: false, output: `Not run, because ${failed} failed.`, seconds: 0, processorSeconds: 0 });
  }
  return results;
}
