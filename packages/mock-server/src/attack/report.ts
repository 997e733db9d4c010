// What an attack found, as data, as text, and as a verdict for tests.

/** The kinds of findings. */
export type FindingKind =
  /** A forgery got 2xx, or was handled. */
  | "accepted"
  /** A genuine offer, or a copy of one, got something other than 2xx. */
  | "refused"
  /** An event was handled more than once. */
  | "handled_twice"
  /** An answer contains what an attacker can use. */
  | "leaked"
  /** Anything else: no answer, a crash, a copy that was answered differently, a body without a limit. */
  | "other";

/** Something that the receiver does wrong. */
export interface Finding {
  /** What kind of mistake it is. */
  readonly kind: FindingKind;
  /** The name of the check that found it. */
  readonly check: string;
  /** The section of the specification, or the assumption, that the check is about. */
  readonly cites: string;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  /** What to do, in one sentence or two. */
  readonly fix: string;
}

/** The groups of checks. */
export type CheckGroup = "genuine" | "forged" | "duplicates" | "limits" | "leaks";

/** The result of one check. */
export interface CheckResult {
  /** What the check expects of the receiver, in short. */
  readonly name: string;
  /** The group that the report lists it in. */
  readonly group: CheckGroup;
  /** The section of the specification, or the assumption, that the check is about. */
  readonly cites: string;
  /** Whether the receiver passed. */
  readonly outcome: "passed" | "failed" | "not_checked";
  /** Why it was not checked, or not completely, and what to do. */
  readonly reason?: string;
  /** What it measured. */
  readonly note?: string;
}

/** What an attack found. It is plain data that JSON can hold, and it never contains a signing secret. */
export interface AttackReport {
  /** The addresses that were attacked. */
  readonly urls: readonly string[];
  /** The seed of the event ids. An attack with the same seed sends events with the same ids. */
  readonly seed: number;
  /** What the receiver does wrong; empty if it passed. */
  readonly findings: readonly Finding[];
  /** Every check with its result. */
  readonly checks: readonly CheckResult[];
  /** How many deliveries were sent, and how they were answered. */
  readonly deliveries: {
    /** Sent in all. */
    readonly sent: number;
    /** Answered with 2xx. */
    readonly accepted: number;
    /** Answered with another status. */
    readonly refused: number;
    /** Not answered, or closed on purpose. */
    readonly unanswered: number;
  };
  /** Milliseconds until an answer was complete. */
  readonly answerTimes: { readonly medianMs: number; readonly maxMs: number };
}

const kinds: Readonly<Record<FindingKind, string>> = {
  accepted: "Accepted, but must be refused",
  refused: "Refused, but must be accepted",
  handled_twice: "Handled more than once",
  leaked: "Leaked in an answer",
  other: "Other problems",
};

const groups: Readonly<Record<CheckGroup, string>> = {
  genuine: "Genuine offers are accepted",
  forged: "Forgeries are refused",
  duplicates: "Each event is handled once",
  limits: "Long and broken bodies do no harm",
  leaks: "Answers leak nothing",
};

/** Returns the report as text for people. */
export function formatReport(report: AttackReport): string {
  const { urls, findings, checks } = report;
  return [
    `Attacked ${urls.join(" and ")}`,
    "",
    ...Object.entries(groups).map(([group, title]) => groupLine(title, inGroup(checks, group))),
    ...Object.entries(kinds).flatMap(([kind, title]) => findingLines(title, findings, kind)),
    ...notCheckedLines(checks),
    "",
    ...figures(report),
    "",
    verdict(report),
  ].join("\n");
}

function figures({ deliveries, answerTimes, checks }: AttackReport): string[] {
  const { sent, accepted, refused, unanswered } = deliveries;
  const counts = [`${accepted} accepted`, `${refused} refused`, `${unanswered} not answered`].join(", ");
  const times = `Answers took ${answerTimes.medianMs} ms in the median, ${answerTimes.maxMs} ms at most.`;
  return [
    `${sent} ${sent === 1 ? "delivery" : "deliveries"}: ${counts}. ${times}`,
    ...checks.flatMap(({ note }) => note ?? []),
  ];
}

function verdict({ findings, seed }: AttackReport): string {
  if (findings.length === 0) return "No findings.";
  const count = findings.length === 1 ? "1 finding." : `${findings.length} findings.`;
  return `${count} The event ids came from the seed ${seed}.`;
}

/**
 * Throws an `AttackFindingsError` if the attack found something. The message lists the findings. For tests of a receiver, with
 * any test runner.
 */
export function expectNoFindings(report: AttackReport): void {
  if (report.findings.length > 0) throw new AttackFindingsError(report);
}

/** A receiver failed an attack. */
export class AttackFindingsError extends Error {
  /** The name of the class. */
  override readonly name = "AttackFindingsError";
  /** What node:assert uses, so that test runners show a failed assertion and not a broken test. */
  readonly code = "ERR_ASSERTION";
  /** The whole report. */
  readonly report: AttackReport;

  constructor(report: AttackReport) {
    const { findings } = report;
    const lines = withOneFix(findings).flatMap(({ checks, problem, fix }) => [
      ...checks.map((check) => `- ${check}`),
      `  ${problem}`,
      `  Fix: ${fix}`,
    ]);
    const failed = new Set(findings.map(({ check }) => check)).size;
    super(`The receiver failed ${failed} of the attack's checks:\n${lines.join("\n")}`);
    this.report = report;
  }
}

const inGroup = (checks: readonly CheckResult[], group: string) => checks.filter((check) => check.group === group);

function groupLine(title: string, checks: readonly CheckResult[]): string {
  const count = (outcome: CheckResult["outcome"]) => checks.filter((check) => check.outcome === outcome).length;
  const [passed, failed, open] = [count("passed"), count("failed"), count("not_checked")];
  const mark = failed > 0 ? "✗" : passed > 0 ? "✓" : "–";
  const isPartial = checks.some(({ outcome, reason }) => outcome !== "not_checked" && reason !== undefined);
  const rest = [
    failed > 0 && `${failed} failed`,
    open > 0 && `${open} not checked`,
    isPartial && "as far as answers show",
  ].filter(Boolean);
  return `  ${mark} ${title.padEnd(34)} ${[`${passed} of ${checks.length} passed`, ...rest].join(", ")}`;
}

/** The findings of a kind. Those with the same problem and fix share their lines. */
function findingLines(title: string, findings: readonly Finding[], kind: string): string[] {
  const ofKind = findings.filter((finding) => finding.kind === kind);
  if (ofKind.length === 0) return [];
  const lines = withOneFix(ofKind).flatMap(({ checks, problem, fix }) => [
    "",
    ...checks.map((check) => `  ✗ ${check}`),
    ...indented(problem),
    ...indented(`Fix: ${fix}`),
  ]);
  return ["", `${title}: ${ofKind.length}`, ...lines];
}

/** The findings, and once for all that share them, the problem and the fix. */
function withOneFix(findings: readonly Finding[]): { checks: string[]; problem: string; fix: string }[] {
  const groups = new Map<string, { checks: string[]; problem: string; fix: string }>();
  for (const { check, problem, fix } of findings) {
    const key = `${problem}\n${fix}`;
    const group = groups.get(key) ?? { checks: [], problem, fix };
    group.checks.push(check);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Why checks were left out: one line for all that share a reason. */
function notCheckedLines(checks: readonly CheckResult[]): string[] {
  const reasons = new Set(checks.flatMap(({ reason }) => (reason === undefined ? [] : [reason])));
  if (reasons.size === 0) return [];
  return ["", "Not checked", ...[...reasons].flatMap((reason) => indented(reason, "  – ", "    "))];
}

/** Breaks a text into lines of at most 96 characters. */
function indented(text: string, first = "    ", others = "    "): string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(" ")) {
    if (line.trim() !== "" && line.trim() !== first.trim() && line.length + word.length > 96) {
      lines.push(line.trimEnd());
      line = others;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
