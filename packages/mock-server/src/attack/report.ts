// What an attack found, as data, and as a verdict for tests.
import { withOneFix } from "./one-fix.ts";

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

/** How much harm a finding can do. `high`: calls are taken or repeated by others, or secrets are exposed. */
export type Severity = "high" | "medium" | "low";

/** Something that the receiver does wrong. */
export interface Finding {
  /** What kind of mistake it is. */
  readonly kind: FindingKind;
  /** The name of the check that found it. */
  readonly check: string;
  /** The section of the specification, or the assumption, that the check is about. */
  readonly cites: string;
  /**
   * Where the expectation comes from. `stated`: the specification states it. `assumed`: it does not, and the assumption
   * that is cited takes its place, so a receiver may differ on purpose. `practice`: signed webhooks need it to be of use.
   */
  readonly basis: "stated" | "assumed" | "practice";
  /** How much harm it can do. */
  readonly severity: Severity;
  /** What a correct receiver does, in one sentence. */
  readonly expected: string;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  /** What to do, in one sentence or two. */
  readonly fix: string;
  /** What was sent, and what came: at most three deliveries. Signing secrets are replaced by `[secret]`. */
  readonly evidence: readonly {
    /** The delivery as a command of curl, or in words if curl cannot send it. Its signature is the one that was sent. */
    readonly sent: string;
    /** The answer: status and the start of its body, or why there was none. */
    readonly answer: string;
  }[];
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
    const lines = withOneFix(findings).flatMap(({ checks, first }) => [
      ...checks.map((check) => `- ${check}`),
      `  ${first.problem}`,
      `  Fix: ${first.fix}`,
    ]);
    const failed = new Set(findings.map(({ check }) => check)).size;
    super(`The receiver failed ${failed} of the attack's checks:\n${lines.join("\n")}`);
    this.report = report;
  }
}
