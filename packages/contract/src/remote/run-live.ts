import type { OperationId } from "@call-transfer/spec";
import { casesFor } from "../suite/case.ts";
import type { Finding } from "../suite/check.ts";
import { type CaseResult, runCase } from "../suite/run.ts";
import { assumptions, findingsOf } from "./assumptions.ts";
import { changeCases } from "./changes.ts";
import { type LiveCase, type Session, skipReason } from "./live-case.ts";
import { connectionProblem, liveTarget, type Traffic } from "./live-target.ts";
import { exitStatus, type LiveOptions } from "./options.ts";
import { readCases } from "./reads.ts";

/** A finding and the case that made it. */
export interface Observation extends Finding {
  readonly case: string;
}

/** The result of a run for one assumption. */
export interface Verdict {
  readonly id: string;
  readonly about: string;
  readonly verdict: "held" | "differs" | "not observed";
  /** What the server did; empty when nothing was observed. */
  readonly observations: readonly Observation[];
  /** Why nothing was observed. */
  readonly reason?: string;
}

/** The result of a run against a server. */
export interface LiveReport {
  readonly baseUrl: string;
  /** The operations that the server does not have, by `--without`. */
  readonly without: readonly OperationId[];
  /** Cases that were run; a `failure` is a violation of the contract. */
  readonly runs: readonly CaseResult[];
  readonly notRun: readonly { readonly name: string; readonly reason: string }[];
  readonly verdicts: readonly Verdict[];
  readonly requests: number;
  /** Why the run stopped early; absent for a complete run. */
  readonly lost?: string;
}

/** Callbacks of a run. */
export interface RunHooks {
  /** Prints a change before it is made. */
  announce(text: string): void;
  saveSecret: Session["saveSecret"];
  /** Sends the requests; the global fetch by default. */
  readonly fetch?: typeof globalThis.fetch;
}

const declare = casesFor("live");

const page = "https://github.com/call-transfer/call-transfer/blob/main/docs/specification.md";

/** Where a section stands, e.g. §4.5 at `#s4-5`. */
const linkTo = (section: string): string =>
  `The specification: ${section}, ${page}#s${section.slice(1).replaceAll(".", "-")}`;

/** Runs one case; returns its result, observations and traffic. */
async function runLive(
  live: LiveCase,
  options: LiveOptions,
  { saveSecret, fetch }: RunHooks,
): Promise<{ run: CaseResult; observations: readonly Observation[]; traffic: Traffic }> {
  const traffic: Traffic = { sent: 0, answers: [], trace: [] };
  const liveCase = declare(live.name, (target, check) => live.run({ options, target, check, saveSecret }));
  const run = await runCase(liveCase, liveTarget(options, traffic, live.change?.operation, fetch));
  const findings = [...run.findings, ...findingsOf(traffic.answers)];
  const { failure } = run;
  const explained =
    failure === undefined ? run : { ...run, failure: `${failure}\n${linkTo(live.section)}`, trace: traffic.trace };
  return { run: explained, observations: findings.map((finding) => ({ ...finding, case: live.name })), traffic };
}

/** Removes duplicates that several cases observed. */
const distinct = (observations: readonly Observation[]): Observation[] => [
  ...new Map(observations.map((one) => [`${one.subject}: ${one.observed}`, one])).values(),
];

function verdictOf(id: string, observations: readonly Observation[]): Verdict {
  const [about, unmet] = assumptions[id] ?? ["", ""];
  const own = distinct(observations.filter(({ assumption }) => assumption === id));
  if (own.length === 0) return { id, about, verdict: "not observed", observations: own, reason: unmet };
  return { id, about, verdict: own.every(({ holds }) => holds) ? "held" : "differs", observations: own };
}

/** Every case for a server whose state is unknown. */
export const liveCases: readonly LiveCase[] = [...readCases, ...changeCases];

/** Runs the cases that the options allow, one after the other. */
export async function checkServer(
  options: LiveOptions,
  surroundings: RunHooks,
  cases: readonly LiveCase[] = liveCases,
): Promise<LiveReport> {
  const notRun: LiveReport["notRun"][number][] = [];
  const runs: CaseResult[] = [];
  const observations: Observation[] = [];
  let requests = 0;
  let lost: string | undefined;
  for (const live of cases) {
    const reason = lost === undefined ? skipReason(live, options) : "the server stopped responding";
    if (reason !== undefined) {
      notRun.push({ name: live.name, reason });
      continue;
    }
    if (live.change) surroundings.announce(live.change.announce(options));
    const result = await runLive(live, options, surroundings);
    runs.push(result.run);
    observations.push(...result.observations);
    const { sent, answers } = result.traffic;
    requests += sent;
    // A single lost response may be a violation. Check whether the server still responds.
    if (sent > answers.length) lost = await connectionProblem(options, surroundings.fetch);
  }
  const verdicts = Object.keys(assumptions).map((id) => verdictOf(id, observations));
  const { baseUrl, without } = options;
  return { baseUrl, without, runs, notRun, verdicts, requests, ...(lost === undefined ? {} : { lost }) };
}

/** The exit status for a report: `--strict` also fails for a difference from an assumption. */
export function statusOfReport({ runs, verdicts, lost }: LiveReport, strict: boolean): number {
  if (lost !== undefined) return exitStatus.incomplete;
  const isBroken = runs.some(({ failure }) => failure !== undefined);
  const differs = verdicts.some(({ verdict }) => verdict === "differs");
  return isBroken || (strict && differs) ? exitStatus.failed : exitStatus.passed;
}
