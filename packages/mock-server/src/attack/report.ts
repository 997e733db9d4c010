// What an attack found: as data, as text, and as a verdict for tests. It leads with causes that explain many failures.
import { describeReply, type Exchange, type Sender } from "./sender.ts";

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
  /** The mistake in short: the one cause of several failed checks, or the name of the check. */
  readonly title: string;
  /** What kind of mistake it is. */
  readonly kind: FindingKind;
  /** The names of the checks that failed because of it. */
  readonly checks: readonly string[];
  /** The section of the specification that it is about, or an assumption such as `A-31`: a receiver may differ on purpose. */
  readonly reference: string;
  /** How much harm it can do. */
  readonly severity: Severity;
  /** What a correct receiver does, in one sentence. */
  readonly expected: string;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  /** What to do, in one sentence or two. */
  readonly fix: string;
  /** A delivery that shows it and its answer, shortened. Signing secrets are replaced by `[secret]`. */
  readonly evidence?: { readonly sent: string; readonly answer: string };
}

/** The groups of checks. */
export type CheckGroup = "genuine" | "forged" | "duplicates" | "limits" | "leaks";

/** The result of one check. */
export interface CheckResult {
  /** What is sent, in short. */
  readonly name: string;
  /** The group that the report lists it in. */
  readonly group: CheckGroup;
  /** Whether the receiver passed. */
  readonly outcome: "passed" | "failed" | "not_checked";
  /** Why it was not checked, and what to do. */
  readonly reason?: string;
}

/** What an attack found. It is plain data that JSON can hold, and it never contains a signing secret. */
export interface AttackReport {
  /** The addresses that were attacked. */
  readonly urls: readonly string[];
  /** What the receiver does wrong, causes of several failures first; empty if it passed. */
  readonly findings: readonly Finding[];
  /** Every check with its result. */
  readonly checks: readonly CheckResult[];
  /** Whether the app's counts were compared. Otherwise only answers were judged. */
  readonly counted: boolean;
  /** How many deliveries were sent. */
  readonly deliveries: number;
}

/** A check, as far as the report shows it. */
interface Check extends Pick<CheckResult, "name" | "group"> {
  readonly reference: string;
  readonly fix: string;
  readonly severity?: Severity;
}

/** Something wrong that a check saw. The fix is the check's, unless it names its own. */
export interface Problem {
  readonly kind: FindingKind;
  readonly problem: string;
  readonly fix?: string;
  readonly exchange?: Exchange | undefined;
  /** Whether each of the check's deliveries shows it. */
  readonly isWhole?: boolean;
}

/** What a check found, or why it did not run. */
export interface Result {
  readonly check: Check;
  readonly problems: Problem[];
  readonly reason?: string;
}

type Found = Problem & { readonly check: Check };

/** A mistake that makes several checks fail. */
interface Cause {
  readonly title: string;
  /** That of the first check by default. */
  readonly fix?: string;
  /** The problems that must be there: the kind, the check, and `in all` for one that each of its deliveries shows. */
  readonly shownBy: readonly string[];
  /** What else comes from it. */
  explains(found: Found): boolean;
}

const sameBytes = "the same bytes again";
const newSignature = "the same event with a new signature";

/** The causes. The first that holds explains a problem. */
const causes: readonly Cause[] = [
  {
    title: "Nothing genuine is accepted",
    shownBy: ["refused: an offer as the platform sends it"],
    explains: ({ kind }) => kind === "refused",
  },
  {
    title: "No signature is checked",
    fix: "Verify the signature of the received bytes first, and answer 400 if it does not match. Answer and handle after it.",
    // A receiver that only looks for the header refuses what has none.
    shownBy: ["accepted: a signature with another secret, in all"],
    explains: ({ kind }) => kind === "accepted",
  },
  {
    title: "The tolerance is not checked",
    shownBy: ["accepted: a time beyond the tolerance, in all"],
    explains: ({ kind, check }) => kind === "accepted" && check.name === "a signed time that is no Unix time",
  },
  {
    title: "The header is compared as a whole",
    fix: "Split the header at the commas, find t and each v1 by their names, and accept the offer if any v1 verifies.",
    shownBy: ["refused: two signatures, in all", "refused: other parts of the header, in all"],
    explains: ({ kind, check }) => kind === "refused" && check.name === "the previous secret",
  },
  {
    title: "The parsed body is verified, not the received bytes",
    fix: "Read the raw body, and verify its bytes before you parse it.",
    shownBy: ["refused: the same event written in another way", "accepted: a changed body"],
    explains: ({ kind, check }) => kind === "refused" && check.name === "valid JSON in another form",
  },
  {
    title: "Copies are not recognized",
    shownBy: [`handled_twice: ${sameBytes}`, `handled_twice: ${newSignature}`],
    explains: ({ kind }) => kind === "handled_twice",
  },
  {
    title: "Copies are refused",
    fix: "Give a copy the answer of the first. Another status declines an offer that was accepted.",
    shownBy: [`refused: ${sameBytes}`, `refused: ${newSignature}`],
    explains: ({ kind, check }) => kind === "refused" && check.group === "duplicates",
  },
  {
    title: "Malformed deliveries crash the receiver",
    fix: "Answer 400 to what you cannot verify or read: check the form of header and body, and catch what throws.",
    shownBy: ["other: a header without its parts", "other: a changed signature"],
    explains: ({ kind, check }) => kind === "other" && check.group === "forged",
  },
];

const severities: Readonly<Record<FindingKind, Severity>> = {
  accepted: "high",
  refused: "medium",
  handled_twice: "high",
  leaked: "high",
  other: "low",
};

/** The groups: their titles, and what a correct receiver does. */
const groups: Readonly<Record<CheckGroup, readonly [title: string, expected: string]>> = {
  genuine: ["Genuine offers are accepted", "A 2xx status, and the app handles the event once."],
  forged: ["Forgeries are refused", "A status from 400 to 499, and the app does not see the event."],
  duplicates: [
    "Each event is handled once",
    "Each copy gets the first one's status and body, and the app handles the event once.",
  ],
  limits: [
    "Long and broken bodies do no harm",
    "The body is refused before its end, or with 413, and other deliveries are answered meanwhile.",
  ],
  leaks: ["Answers leak nothing", "A fixed text that says nothing about the reason."],
};

/** Returns the report of an attack. `redact` replaces secrets in a text. */
export function createReport(
  { options: { urls }, exchanges }: Sender,
  results: readonly Result[],
  { counted, redact }: { readonly counted: boolean; redact(text: string): string },
): AttackReport {
  return {
    urls,
    findings: findingsOf(results, redact),
    checks: results.map(({ check: { name, group }, problems, reason }) => {
      if (problems.length > 0) return { name, group, outcome: "failed" };
      return { name, group, ...(reason === undefined ? { outcome: "passed" } : { outcome: "not_checked", reason }) };
    }),
    counted,
    deliveries: exchanges.length,
  };
}

/** Returns the findings: one for each cause that holds, and one for each problem that no cause explains. */
function findingsOf(results: readonly Result[], redact: (text: string) => string): readonly Finding[] {
  const found = results.flatMap(({ check, problems }) => problems.map((problem): Found => ({ ...problem, check })));
  const keys = new Set(found.flatMap((one) => [keyOf(one), ...(one.isWhole ? [`${keyOf(one)}, in all`] : [])]));
  const holding = causes.filter(({ shownBy }) => shownBy.every((key) => keys.has(key)));
  const byCause = new Map<Cause | Found, Found[]>(holding.map((cause) => [cause, []]));
  for (const one of found) {
    const cause =
      holding.find(({ shownBy, explains }) => shownBy.some((key) => key.startsWith(keyOf(one))) || explains(one)) ??
      one;
    byCause.set(cause, [...(byCause.get(cause) ?? []), one]);
  }
  return [...byCause].flatMap(([cause, explained]) => {
    const [first] = explained;
    if (first === undefined) return [];
    const { check, kind, problem, exchange } = first;
    const severity = check.severity ?? severities[kind];
    return {
      title: "title" in cause ? cause.title : check.name,
      kind,
      checks: [...new Set(explained.map((one) => one.check.name))],
      reference: check.reference,
      // A check is rated for what it looks for. A crash on the way is another matter.
      severity: kind === "other" ? (check.group === "limits" ? "medium" : severities.other) : severity,
      expected: groups[check.group][1],
      problem,
      fix: first.fix ?? cause.fix ?? check.fix,
      ...(exchange && { evidence: evidenceOf(exchange, redact) }),
    };
  });
}

const keyOf = ({ kind, check }: Found) => `${kind}: ${check.name}`;

const maxShown = 300;

function evidenceOf({ delivery, url, headers, body, reply }: Exchange, redact: (text: string) => string) {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${shortened(value)}`);
  const answer = shortened(printable(redact(reply.body).trim()));
  return {
    sent: redact([`${delivery.method ?? "POST"} ${url}`, ...head, "", shortened(printable(body))].join("\n")),
    answer: redact(describeReply(reply)) + (answer && `: ${answer}`),
  };
}

const shortened = (text: string) => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
/** Control characters would change what a terminal shows. */
const printable = (text: string) => text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));

/** Returns the report as text for people. */
export function formatReport(report: AttackReport): string {
  const { urls, findings, checks, counted, deliveries } = report;
  const notChecked = [
    ...new Set(checks.flatMap(({ reason }) => reason ?? [])),
    ...(counted ? [] : ["How often the app handled each event: give handled, or --handled-url."]),
  ];
  return [
    `Attacked ${urls.join(" and ")}: ${findings.length === 0 ? "no findings" : plural(findings.length, "finding")}`,
    ...findings.flatMap((finding) => ["", ...findingLines(finding)]),
    "",
    ...Object.entries(groups).map(([group, [title]]) => {
      const own = checks.filter((check) => check.group === group);
      const count = (outcome: CheckResult["outcome"]) => own.filter((check) => check.outcome === outcome).length;
      const [passed, failed, open] = [count("passed"), count("failed"), count("not_checked")];
      const rest = [failed > 0 && `, ${failed} failed`, open > 0 && `, ${open} not checked`].filter(Boolean).join("");
      return `  ${failed > 0 ? "✗" : passed > 0 ? "✓" : "–"} ${title.padEnd(34)} ${passed} of ${own.length} passed${rest}`;
    }),
    ...(notChecked.length > 0 ? ["", "Not checked"] : []),
    ...notChecked.map((reason) => `  – ${reason}`),
    "",
    deliveries === 1 ? "1 delivery was sent." : `${deliveries} deliveries were sent.`,
  ].join("\n");
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function findingLines({ title, checks, reference, severity, expected, problem, fix, evidence }: Finding): string[] {
  const shown = evidence && [...evidence.sent.split("\n"), `> ${evidence.answer}`].map((line) => line && `    ${line}`);
  return [
    `✗ ${title}`,
    `  ${problem} Severity: ${severity}.`,
    `  Fix: ${fix}`,
    `  Expected: ${expected} (${reference})`,
    ...(checks.length > 1 ? [`  ${checks.length} checks failed because of it.`] : []),
    ...(shown ?? []),
  ];
}

/**
 * Throws an `AttackFindingsError` if the attack found something. The message lists the findings. For tests of a receiver, with
 * any test runner.
 */
export function assertNoFindings(report: AttackReport): void {
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
    const lines = report.findings.map(({ title, problem, fix }) => `- ${title}\n  ${problem}\n  Fix: ${fix}`);
    super(`The attack has ${plural(report.findings.length, "finding")}:\n${lines.join("\n")}`);
    this.report = report;
  }
}
