// Makes the report from what the checks found.
import type { Check, Problem } from "./check.ts";
import { evidenceOf } from "./evidence.ts";
import type { AttackReport, CheckGroup, CheckResult, Finding, FindingKind, Severity } from "./report.ts";
import { isAccepted, type Sender } from "./sender.ts";

/** The result of a check: what it found, or why it did not run. */
export interface Result {
  readonly check: Check;
  readonly problems: Problem[];
  readonly reason?: string;
}

const severities: Readonly<Record<FindingKind, Severity>> = {
  accepted: "high",
  refused: "medium",
  handled_twice: "high",
  leaked: "high",
  other: "low",
};

const expectations: Readonly<Record<CheckGroup, string>> = {
  genuine: "A 2xx status, and the app handles the event once.",
  forged: "A status from 400 to 499, and the app does not see the event.",
  duplicates: "Each copy gets the first one's status and body, and the app handles the event once.",
  limits: "The body is refused before its end, or with 413, and other deliveries are answered meanwhile.",
  leaks: "A fixed text that says nothing about the reason.",
};

const mostEvidence = 3;

/** Returns the report. `uncounted` says why the counts were not compared. */
export function reportOf(
  results: readonly Result[],
  sender: Sender,
  { notes, uncounted, secrets }: { notes: ReadonlyMap<string, string>; uncounted?: string; secrets: readonly string[] },
): AttackReport {
  const replies = sender.exchanges.map(({ reply }) => reply);
  const answered = replies.filter(({ status }) => status !== undefined);
  const accepted = answered.filter(isAccepted).length;
  const durations = answered.map(({ ms }) => ms).sort((one, other) => one - other);
  return {
    urls: sender.options.urls,
    seed: sender.options.seed,
    findings: results.flatMap(({ check, problems }) =>
      problems.map((problem) => findingOf(check, problem, sender, secrets)),
    ),
    checks: results.map((result) => checkResult(result, notes.get(result.check.name), uncounted)),
    deliveries: {
      sent: replies.length,
      accepted,
      refused: answered.length - accepted,
      unanswered: replies.length - answered.length,
    },
    answerTimes: { medianMs: rounded(durations[Math.floor(durations.length / 2)]), maxMs: rounded(durations.at(-1)) },
  };
}

function findingOf(check: Check, problem: Problem, sender: Sender, secrets: readonly string[]): Finding {
  const { name, group, cites, severity } = check;
  const { kind, problem: text, fix = check.fix, replies = [] } = problem;
  const shown = sender.exchanges.filter(({ reply }) => replies.includes(reply)).slice(0, mostEvidence);
  return {
    kind,
    check: name,
    cites,
    basis: cites.startsWith("A-") ? "assumed" : cites.includes(".") ? "stated" : "practice",
    // A check is rated for what it looks for. A crash on the way is another matter.
    severity: kind === "other" ? (group === "limits" ? "medium" : severities.other) : (severity ?? severities[kind]),
    expected: expectations[group],
    problem: text,
    fix,
    evidence: shown.map((exchange) => evidenceOf(exchange, secrets)),
  };
}

function checkResult(
  { check: { name, group, cites }, problems, reason }: Result,
  note: string | undefined,
  uncounted: string | undefined,
): CheckResult {
  const outcome = reason !== undefined ? "not_checked" : problems.length > 0 ? "failed" : "passed";
  const left = reason ?? (group === "duplicates" ? uncounted : undefined);
  return {
    ...{ name, group, cites, outcome },
    ...(left !== undefined && { reason: left }),
    ...(note !== undefined && { note }),
  };
}

const rounded = (ms = 0): number => Math.round(ms * 10) / 10;
