// What an attack found: as data and as text. It leads with causes that explain many failures.
import { describeReply, type Exchange } from "./sender.ts";

/** Something that the receiver does wrong. */
export interface Finding {
  /** The mistake in short: the one cause of several failed checks, or the name of the check. */
  readonly title: string;
  /**
   * `accepted`: a forgery got 2xx, or was handled. `refused`: a genuine offer, or a copy of one, got something other than 2xx.
   * `handled_twice`: an event was handled more than once. `leaked`: an answer contains what an attacker can use. `other`: no answer,
   * a crash, a copy that was answered differently, a body without a limit.
   */
  readonly kind: "accepted" | "refused" | "handled_twice" | "leaked" | "other";
  /** The names of the checks that failed because of it. */
  readonly checks: readonly string[];
  /** The section of the specification that it is about, or an assumption such as `A-31`: a receiver may differ on purpose. */
  readonly reference: string;
  /** What a correct receiver does, in one sentence. */
  readonly expected: string;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  /** What to do, in one sentence or two. */
  readonly fix: string;
  /** A delivery that shows it and its answer, shortened. Signing secrets are replaced by `[secret]`. */
  readonly evidence?: { readonly sent: string; readonly answer: string };
}

/** What an attack found. It is plain data that JSON can hold, and it never contains a signing secret. */
export interface AttackReport {
  /** The addresses that were attacked. */
  readonly urls: readonly string[];
  /** What the receiver does wrong, causes of several failures first; empty if it passed. */
  readonly findings: readonly Finding[];
  /** How many checks the receiver passed. */
  readonly passed: number;
  /** What was not checked: why, and what to do. */
  readonly notChecked: readonly string[];
  /** How many deliveries were sent. */
  readonly deliveries: number;
}

/** Something wrong that a check saw. The fix is the check's, unless it names its own. */
export interface Problem {
  readonly kind: Finding["kind"];
  readonly problem: string;
  readonly fix?: string;
  readonly exchange?: Exchange | undefined;
  /** Whether each of the check's deliveries shows it. */
  readonly isWhole?: boolean;
}

/** A check, as far as the report shows it. */
export interface Check {
  readonly group: "genuine" | "forged" | "duplicates" | "limits" | "leaks";
  readonly name: string;
  /** The section of the specification, or the assumption, that it is about. */
  readonly reference: string;
  readonly fix: string;
}

/** What a check found, or why it did not run. */
export interface Result {
  readonly check: Check;
  readonly problems: Problem[];
  readonly reason?: string;
}

type Found = Problem & Pick<Result, "check">;

/** A mistake that makes several checks fail. */
interface Cause {
  readonly title: string;
  /** That of the first check by default. */
  readonly fix?: string;
  /** The problems that must be there: the kind, the check, and `in all` for one that each of its deliveries shows. */
  readonly shownBy: readonly string[];
  /** What else comes from it: the kind of problem, and the check or its group, or `*` for any. */
  readonly explains: readonly [kind: Finding["kind"], check: string];
}

/** The causes. The first that holds explains a problem. */
const causes: readonly Cause[] = [
  {
    title: "Nothing genuine is accepted",
    shownBy: ["refused: an offer as the platform sends it"],
    explains: ["refused", "*"],
  },
  {
    title: "No signature is checked",
    fix: "Verify the signature of the received bytes first, and answer 400 if it does not match. Answer and handle after it.",
    // A receiver that only looks for the header refuses what has none.
    shownBy: ["accepted: a signature with another secret, in all"],
    explains: ["accepted", "*"],
  },
  {
    title: "The header is compared as a whole",
    fix: "Split the header at the commas, find t and each v1 by their names, and accept the offer if any v1 verifies.",
    shownBy: ["refused: two signatures, in all", "refused: other parts of the header, in all"],
    explains: ["refused", "the previous secret"],
  },
  {
    title: "The parsed body is verified, not the received bytes",
    fix: "Read the raw body, and verify its bytes before you parse it.",
    shownBy: ["refused: the same event written in another way", "accepted: a changed body"],
    explains: ["refused", "valid JSON in another form"],
  },
  {
    title: "Copies are not recognized",
    shownBy: ["handled_twice: the same bytes again", "handled_twice: the same event with a new signature"],
    explains: ["handled_twice", "*"],
  },
  {
    title: "Copies are refused",
    fix: "Give a copy the answer of the first. Another status declines an offer that was accepted.",
    shownBy: ["refused: the same bytes again", "refused: the same event with a new signature"],
    explains: ["refused", "duplicates"],
  },
  {
    title: "Malformed deliveries crash the receiver",
    fix: "Answer 400 to what you cannot verify or read: check the form of header and body, and catch what throws.",
    shownBy: ["other: a header without its parts", "other: a changed signature"],
    explains: ["other", "forged"],
  },
];

/** What a correct receiver does. */
const expectations: Readonly<Record<Check["group"], string>> = {
  genuine: "A 2xx status, and the app handles the event once.",
  forged: "A status from 400 to 499, and the app does not see the event.",
  duplicates: "Each copy gets the first one's status and body, and the app handles the event once.",
  limits: "The body is refused before its end, or with 413, and other deliveries are answered meanwhile.",
  leaks: "A fixed text that says nothing about the reason.",
};

/** Returns the findings: one for each cause that holds, and one for each problem that no cause explains. */
export function findingsOf(results: readonly Result[], redact: (text: string) => string): readonly Finding[] {
  const found = results.flatMap(({ check, problems }) => problems.map((problem): Found => ({ ...problem, check })));
  const keys = new Set(found.flatMap((one) => [keyOf(one), ...(one.isWhole ? [`${keyOf(one)}, in all`] : [])]));
  const holding = causes.filter(({ shownBy }) => shownBy.every((key) => keys.has(key)));
  const byCause = new Map<Cause | Found, Found[]>(holding.map((cause) => [cause, []]));
  for (const one of found) {
    const cause = holding.find((cause) => isExplained(one, cause)) ?? one;
    byCause.set(cause, [...(byCause.get(cause) ?? []), one]);
  }
  return [...byCause].flatMap(([cause, explained]) => {
    const [first] = explained;
    if (first === undefined) return [];
    const { check, kind, problem, exchange } = first;
    return {
      title: "title" in cause ? cause.title : check.name,
      kind,
      checks: [...new Set(explained.map((one) => one.check.name))],
      reference: check.reference,
      expected: expectations[check.group],
      problem,
      fix: first.fix ?? cause.fix ?? check.fix,
      ...(exchange && { evidence: evidenceOf(exchange, redact) }),
    };
  });
}

const keyOf = ({ kind, check }: Found) => `${kind}: ${check.name}`;

function isExplained(found: Found, { shownBy, explains: [kind, check] }: Cause): boolean {
  if (shownBy.some((key) => key.startsWith(keyOf(found)))) return true;
  return found.kind === kind && ["*", found.check.name, found.check.group].includes(check);
}

function evidenceOf(exchange: Exchange, redact: (text: string) => string) {
  const { delivery, url, headers, body, reply } = exchange;
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${shortened(value)}`);
  const answer = shortened(redact(reply.body).trim());
  return {
    sent: redact([`${delivery.method ?? "POST"} ${url}`, ...head, "", shortened(body)].join("\n")),
    answer: redact(describeReply(exchange)) + (answer && `: ${answer}`),
  };
}

/** The start of a text, with control characters escaped: they would change what a terminal shows. */
function shortened(text: string): string {
  const start = text.slice(0, 300).replaceAll(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1));
  return start + (text.length > 300 ? "…" : "");
}

/** Returns the report as text for people. */
export function formatReport({ urls, findings, passed, notChecked, deliveries }: AttackReport): string {
  const count = findings.length === 1 ? "1 finding" : `${findings.length || "no"} findings`;
  return [
    `Attacked ${urls.join(" and ")}: ${count}`,
    "",
    ...findings.flatMap((finding) => [...linesOf(finding), ""]),
    ...(notChecked.length > 0 ? ["Not checked", ...notChecked.map((reason) => `  – ${reason}`), ""] : []),
    `Checks passed: ${passed}. Deliveries sent: ${deliveries}.`,
  ].join("\n");
}

function linesOf({ title, checks, reference, expected, problem, fix, evidence }: Finding): string[] {
  const shown = evidence && [...evidence.sent.split("\n"), `> ${evidence.answer}`].map((line) => line && `    ${line}`);
  return [
    `✗ ${title}`,
    `  ${problem}`,
    `  Fix: ${fix}`,
    `  Expected: ${expected} (${reference})`,
    ...(checks.length > 1 ? [`  ${checks.length} checks failed because of it.`] : []),
    ...(shown ?? []),
  ];
}
