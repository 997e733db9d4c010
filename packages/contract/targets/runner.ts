import type { ContractCase } from "../src/suite/case.ts";
import { type CaseResult, runCase } from "../src/suite/run.ts";
import type { CaseName, Target } from "../src/suite/target.ts";

/** A target to close after its case. */
export interface OpenTarget {
  /** The target. */
  readonly target: Target;
  /** What went wrong inside the target during the case, which its responses do not say. */
  problems?(contractCase: CaseName): readonly string[];
  /** Releases what the target holds. */
  close(): Promise<void>;
}

/** Runs cases in this process, or elsewhere and returns the results. */
export interface TargetRunner {
  /** The target's name in the results. */
  readonly name: string;
  /**
   * Runs the cases in order and reports each result. Failures are in the results; rejects only when the target cannot
   * be started or stops responding.
   */
  run(cases: readonly ContractCase[], onRun: (run: CaseResult) => void): Promise<void>;
}

/** A result with what went wrong inside the target. */
function withProblems(run: CaseResult, problems: readonly string[]): CaseResult {
  if (problems.length === 0) return run;
  return { ...run, failure: [...problems, ...(run.failure === undefined ? [] : [run.failure])].join("\n") };
}

/** Opens a target in a fresh state for each case. */
export const perCase = (name: string, open: () => Promise<OpenTarget>): TargetRunner => ({
  name,
  async run(cases, onRun) {
    for (const contractCase of cases) {
      const { target, problems, close } = await open();
      try {
        onRun(withProblems(await runCase(contractCase, target), problems?.(contractCase) ?? []));
      } finally {
        await close();
      }
    }
  },
});

/** What the cases of a run share, e.g. a browser or another process. */
export interface SharedSetup {
  /** Opens a target in a fresh state. */
  open(): Promise<OpenTarget>;
  /** Stops what the cases shared. */
  stop(): Promise<void>;
}

/** Like {@link perCase}, with an expensive setup that is started before the first case and stopped after the last. */
export const withSharedSetup = (name: string, start: () => Promise<SharedSetup>): TargetRunner => ({
  name,
  async run(cases, onRun) {
    const { open, stop } = await start();
    try {
      await perCase(name, open).run(cases, onRun);
    } finally {
      await stop();
    }
  },
});
