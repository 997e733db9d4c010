import type { ContractCase } from "./case.ts";
import { type CaseResult, runCase } from "./run.ts";
import type { Target } from "./target.ts";

/** A target that has to be closed after its case. */
export interface OpenTarget {
  readonly target: Target;
  close(): Promise<void>;
}

/** A place where cases are run: in this process, or elsewhere when only the results come back. */
export interface TargetRunner {
  /** The name that its runs carry. */
  readonly name: string;
  /**
   * Runs the cases in order and hands over each result as it comes. What a case met is in its result; rejects only
   * when the target itself cannot be started or is lost on the way.
   */
  run(cases: readonly ContractCase[], onRun: (run: CaseResult) => void): Promise<void>;
}

/** Opens a target in a fresh state for each case. */
export const perCase = (name: string, open: () => Promise<OpenTarget>): TargetRunner => ({
  name,
  async run(cases, onRun) {
    for (const contractCase of cases) {
      const { target, close } = await open();
      try {
        onRun(await runCase(contractCase, target));
      } finally {
        await close();
      }
    }
  },
});

/** What the cases of a run share, such as a browser or another process. */
export interface SharedSetup {
  open(): Promise<OpenTarget>;
  stop(): Promise<void>;
}

/** The same with something dear that is started once, before the first case, and stopped after the last. */
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
