import type { Check, Finding } from "../suite/check.ts";
import { type CaseResult, runCase } from "../suite/run.ts";
import type { Target } from "../suite/target.ts";
import { assumptions } from "./assumptions.ts";
import { changeCases } from "./changes.ts";
import { type LiveCase, type Session, skipReason } from "./live-case.ts";
import { connectionProblem, liveTarget, type Traffic } from "./live-target.ts";
import { findingsOf } from "./observations.ts";
import type { LiveOptions } from "./options.ts";
import { readCases } from "./reads.ts";

/** A finding and the case that met it. */
export interface Observation extends Finding {
  readonly case: string;
}

/** What a run tells of one assumption. */
export interface Verdict {
  readonly id: string;
  readonly about: string;
  readonly verdict: "held" | "refuted" | "not observable";
  /** What was met; empty where nothing was. */
  readonly observations: readonly Observation[];
  /** Why nothing was met. */
  readonly why?: string;
}

/** Everything that was found on a server. */
export interface LiveReport {
  readonly baseUrl: string;
  /** Cases that were run; a `failure` is a broken promise of the contract. */
  readonly runs: readonly CaseResult[];
  readonly notRun: readonly { readonly name: string; readonly why: string }[];
  readonly verdicts: readonly Verdict[];
  readonly requests: number;
  /** Why the server could no longer be asked; absent when it answered to the end. */
  readonly lost?: string;
}

/** What the command does besides asking. */
export interface RunHooks {
  /** Says what is about to be done to the server. */
  announce(text: string): void;
  saveSecret: Session["saveSecret"];
}

/** Runs one case with everything that was seen while it ran. */
async function runLive(
  live: LiveCase,
  options: LiveOptions,
  keepSecret: Session["saveSecret"],
): Promise<{ run: CaseResult; sightings: readonly Observation[]; traffic: Traffic }> {
  const traffic: Traffic = { sent: 0, answers: [] };
  const run = await runCase(
    {
      noun: "live",
      name: live.name,
      needs: [],
      covers: [],
      run: (target: Target, check: Check) => live.run({ options, target, check, saveSecret: keepSecret }),
    },
    liveTarget(options, traffic, live.change?.operation),
  );
  const findings = [...run.findings, ...findingsOf(traffic.answers)];
  return { run, sightings: findings.map((finding) => ({ ...finding, case: live.name })), traffic };
}

/** Equal sightings of several cases count once. */
const distinct = (sightings: readonly Observation[]): Observation[] => [
  ...new Map(sightings.map((sighting) => [`${sighting.subject}: ${sighting.observed}`, sighting])).values(),
];

function verdictOf(id: string, sightings: readonly Observation[]): Verdict {
  const { about, unmet } = assumptions[id] ?? { about: "", unmet: "" };
  const own = distinct(sightings.filter(({ assumption }) => assumption === id));
  if (own.length === 0) return { id, about, verdict: "not observable", observations: own, why: unmet };
  return { id, about, verdict: own.every(({ holds }) => holds) ? "held" : "refuted", observations: own };
}

/** Asks a server everything that the options allow, one case after the other. */
export async function checkServer(options: LiveOptions, surroundings: RunHooks): Promise<LiveReport> {
  const cases = [...readCases, ...changeCases];
  const notRun: LiveReport["notRun"][number][] = [];
  const runs: CaseResult[] = [];
  const sightings: Observation[] = [];
  let requests = 0;
  let lost: string | undefined;
  for (const live of cases) {
    const why = lost === undefined ? skipReason(live, options) : "the server no longer answered";
    if (why !== undefined) {
      notRun.push({ name: live.name, why });
      continue;
    }
    if (live.change) surroundings.announce(live.change.announce(options));
    const result = await runLive(live, options, surroundings.saveSecret);
    runs.push(result.run);
    sightings.push(...result.sightings);
    const { sent: asked, answers } = result.traffic;
    requests += asked;
    // A lost answer may be the one broken promise of a server that is well otherwise.
    if (asked > answers.length) lost = await connectionProblem(options);
  }
  const verdicts = Object.keys(assumptions).map((id) => verdictOf(id, sightings));
  return { baseUrl: options.baseUrl, runs, notRun, verdicts, requests, ...(lost === undefined ? {} : { lost }) };
}
