// Runs commands side by side. Each one's output appears in one piece when it ends, so that two never mix.
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Step {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
}

export interface StepResult {
  readonly step: Step;
  readonly passed: boolean;
  /** Both streams, in the order in which they arrived. */
  readonly output: string;
  readonly seconds: number;
}

/** Runs a command to its end. */
export async function runStep(step: Step): Promise<StepResult> {
  const startedAt = performance.now();
  const [program, ...options] = step.command;
  // Windows starts npm, a script, through its shell only.
  const child = spawn(program, options, { stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output.push(text));
  const [status] = await once(child, "close");
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { step, passed: status === 0, output: output.join(""), seconds };
}

/** Runs every step, at most `lanes` at a time and in their order, also after one failed. Prints each as it ends. */
export async function runSteps(steps: readonly Step[], lanes = 2): Promise<StepResult[]> {
  const left = [...steps];
  const results: StepResult[] = [];
  const lane = async (): Promise<void> => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const result = await runStep(step);
      results.push(result);
      console.log(`\n=== ${step.name}\n${result.output.trimEnd()}`);
      console.log(`=== ${step.name}: ${result.passed ? "passed" : "FAILED"} after ${result.seconds} s`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
