import type { ClaimedCell, ContractCase } from "./case.ts";
import { Check, type Finding } from "./check.ts";
import { type Exchange, record } from "./recorder.ts";
import type { Capability, CaseName, Target } from "./target.ts";

/** Something that a case needs and its target cannot do. */
export interface MissingCapability {
  readonly capability: Capability;
  readonly why: string;
}

/** How one case ended on one target: plain JSON, so that it may come from another process or from a page. */
export interface CaseResult extends CaseName {
  readonly target: string;
  readonly covers: readonly ClaimedCell[];
  readonly exchanges: readonly Exchange[];
  readonly findings: readonly Finding[];
  /** What went wrong, in words; absent when the case passed, deviated or was not run. */
  readonly failure?: string;
  /** The requests and answers, credentials and secrets left out; given with a failure. */
  readonly trace?: readonly string[];
  /** Why the case was not run. */
  readonly missing?: readonly MissingCapability[];
  /** Why the target was known to fail the case, which it did. */
  readonly deviation?: string;
  /** Wall-clock time in milliseconds. */
  readonly tookMs: number;
}

/** Why a target cannot run a case; empty when it can. */
export const missingCapabilities = (target: Target, { needs }: ContractCase): MissingCapability[] =>
  needs.flatMap((capability) => {
    const why = target.unsupported[capability];
    return why === undefined ? [] : [{ capability, why }];
  });

/** What a case found wrong, besides the broken answers that were recorded. */
async function failureOf(contractCase: ContractCase, target: Target, check: Check): Promise<string | undefined> {
  try {
    await contractCase.run(target, check);
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** Runs a case on a target in its own fresh state. Never throws: what went wrong is in the result. */
export async function runCase(contractCase: ContractCase, target: Target): Promise<CaseResult> {
  const { noun, name, covers } = contractCase;
  const about = { noun, name, target: target.name, covers };
  const hindrances = missingCapabilities(target, contractCase);
  if (hindrances.length > 0) return { ...about, exchanges: [], findings: [], missing: hindrances, tookMs: 0 };
  const startedAt = performance.now();
  const recording = record(target);
  const check = new Check();
  const thrown = await failureOf(contractCase, recording.target, check);
  const failure = [...(thrown === undefined ? [] : [thrown]), ...recording.violations].join("\n");
  const run = {
    ...about,
    exchanges: recording.exchanges,
    findings: check.findings,
    tookMs: Math.round(performance.now() - startedAt),
  };
  const deviation = target.knownDeviation?.(contractCase);
  if (failure !== "")
    return deviation === undefined ? { ...run, failure, trace: recording.trace } : { ...run, deviation };
  return deviation === undefined
    ? run
    : { ...run, failure: `Passed, although it is listed as a deviation: ${deviation}` };
}
