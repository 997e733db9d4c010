import { type ContractCase, hindrance } from "./case.ts";
import { Check, type Finding, Violation } from "./check.ts";
import { type Exchange, record } from "./recorder.ts";
import type { Target } from "./target.ts";

/** How one case ended on one target. */
export interface Run {
  readonly contractCase: ContractCase;
  readonly target: string;
  readonly exchanges: readonly Exchange[];
  readonly findings: readonly Finding[];
  /** What went wrong; undefined when the case passed or was not run. */
  readonly failure?: Error;
  /** Why the case was not run. */
  readonly notRun?: string;
}

/** Runs a case on a target in its own fresh state. Never throws: what went wrong is in the result. */
export async function runCase(contractCase: ContractCase, target: Target): Promise<Run> {
  const start = { contractCase, target: target.name };
  const notRun = hindrance(target, contractCase);
  if (notRun) return { ...start, exchanges: [], findings: [], notRun };
  const recording = record(target);
  const check = new Check();
  const end = { ...start, exchanges: recording.exchanges, findings: check.findings };
  try {
    await contractCase.run(recording.target, check);
  } catch (error) {
    return { ...end, failure: error instanceof Error ? error : new Violation(String(error)) };
  }
  if (recording.violations.length > 0) return { ...end, failure: new Violation(recording.violations.join("\n")) };
  return end;
}
