import type { ClaimedCell, ContractCase } from "./case.ts";
import { Check, type Finding } from "./check.ts";
import { type Exchange, record } from "./recorder.ts";
import type { Capability, CaseName, Target } from "./target.ts";

/** A capability that a case needs and its target lacks. */
export interface MissingCapability {
  /** The missing capability. */
  readonly capability: Capability;
  /** The target's reason for not having it. */
  readonly reason: string;
}

/** The result of one case on one target. Plain JSON, so that it can come from another process or a browser. */
export interface CaseResult extends CaseName {
  /** The name of the target. */
  readonly target: string;
  /** The coverage cells that the case claims. */
  readonly covers: readonly ClaimedCell[];
  /** The requests and responses of the case, in their order. */
  readonly exchanges: readonly Exchange[];
  /** What the case observed where the specification says nothing. */
  readonly findings: readonly Finding[];
  /** What went wrong; absent when the case passed, deviated or was not run. */
  readonly failure?: string;
  /** The requests and responses of a failed case, without credentials and secrets. */
  readonly trace?: readonly string[];
  /** The missing capabilities of a case that was not run. */
  readonly missing?: readonly MissingCapability[];
  /** The reason of an expected failure. */
  readonly deviation?: string;
  /** Wall-clock time in milliseconds. */
  readonly durationMs: number;
}

/** The capabilities that a case needs and a target lacks. */
const missingCapabilities = (target: Target, { requires }: ContractCase): MissingCapability[] =>
  requires.flatMap((capability) => {
    const reason = target.unsupported[capability];
    return reason === undefined ? [] : [{ capability, reason }];
  });

/** Runs a case; returns the error that it threw as text. */
async function failureOf(contractCase: ContractCase, target: Target, check: Check): Promise<string | undefined> {
  try {
    await contractCase.run(target, check);
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** Runs a case on a target in a fresh state. Never throws: errors are in the result. */
export async function runCase(contractCase: ContractCase, target: Target): Promise<CaseResult> {
  const { resource, name, covers } = contractCase;
  const about = { resource, name, target: target.name, covers };
  const missing = missingCapabilities(target, contractCase);
  if (missing.length > 0) return { ...about, exchanges: [], findings: [], missing, durationMs: 0 };
  const startedAt = performance.now();
  const recording = record(target);
  const check = new Check();
  const thrown = await failureOf(contractCase, recording.target, check);
  const failure = [...(thrown === undefined ? [] : [thrown]), ...recording.violations].join("\n");
  const run = {
    ...about,
    exchanges: recording.exchanges,
    findings: check.findings,
    durationMs: Math.round(performance.now() - startedAt),
  };
  const deviation = target.knownDeviation?.(contractCase);
  if (failure !== "")
    return deviation === undefined ? { ...run, failure, trace: recording.trace } : { ...run, deviation };
  return deviation === undefined
    ? run
    : { ...run, failure: `Passed, but is listed as a deviation: ${deviation}. Remove it from the list.` };
}
