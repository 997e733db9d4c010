// The report for people: as text, and as Markdown.
import { withOneFix } from "./one-fix.ts";
import type { AttackReport, CheckGroup, CheckResult, Finding, FindingKind } from "./report.ts";

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

const bases: Readonly<Record<Finding["basis"], string>> = {
  stated: "stated by the specification",
  assumed: "assumed: the specification is silent",
  practice: "good practice",
};

/** Returns the report as text for people. */
export function formatReport(report: AttackReport): string {
  const { urls, findings, checks } = report;
  return [
    `Attacked ${urls.join(" and ")}`,
    "",
    ...groupRows(checks).map(({ mark, title, result }) => `  ${mark} ${title.padEnd(34)} ${result}`),
    ...Object.entries(kinds).flatMap(([kind, title]) => findingLines(title, findings, kind)),
    ...notChecked(checks).flatMap((text, index) => [
      ...(index === 0 ? ["", "Not checked"] : []),
      ...indented(text, "  – ", "    "),
    ]),
    "",
    ...figures(report),
    "",
    verdict(report),
  ].join("\n");
}

/** Returns the report as Markdown, to hand to those who must fix the findings. */
export function formatMarkdown(report: AttackReport): string {
  const { urls, findings, checks } = report;
  const parts = Object.keys(kinds).flatMap((kind) => withOneFix(findings.filter((finding) => finding.kind === kind)));
  return [
    `# Attack on ${urls.join(" and ")}`,
    "",
    verdict(report),
    "",
    "| | Checks | Result |",
    "|---|---|---|",
    ...groupRows(checks).map(({ mark, title, result }) => `| ${mark} | ${title} | ${result} |`),
    ...parts.flatMap(({ checks, first }, index) => [
      "",
      `## ${index + 1}. ${kinds[first.kind]}: ${checks.join("; ")}`,
      "",
      `- **Severity:** ${first.severity}`,
      `- **Expected:** ${first.expected} ${basisOf(first)}`,
      `- **Found:** ${first.problem}`,
      `- **Fix:** ${first.fix}`,
      ...first.evidence.flatMap(({ sent, answer }) => ["", ...fenced(sent, "sh"), "", ...fenced(answer, "text")]),
    ]),
    ...notChecked(checks).flatMap((text, index) => [...(index === 0 ? ["", "## Not checked", ""] : []), `- ${text}`]),
    "",
    ...figures(report),
  ].join("\n");
}

/** A block that its own content cannot end. */
function fenced(text: string, language: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return [fence + language, text, fence];
}

const basisOf = ({ cites, basis }: Finding) => `(${cites}, ${bases[basis]})`;

function groupRows(checks: readonly CheckResult[]) {
  return Object.entries(groups).map(([name, title]) => {
    const own = checks.filter(({ group }) => group === name);
    const count = (outcome: CheckResult["outcome"]) => own.filter((check) => check.outcome === outcome).length;
    const [passed, failed, open] = [count("passed"), count("failed"), count("not_checked")];
    const isPartial = own.some(({ outcome, reason }) => outcome !== "not_checked" && reason !== undefined);
    const rest = [
      failed > 0 && `${failed} failed`,
      open > 0 && `${open} not checked`,
      isPartial && "as far as answers show",
    ].filter(Boolean);
    const mark = failed > 0 ? "✗" : passed > 0 ? "✓" : "–";
    return { mark, title, result: [`${passed} of ${own.length} passed`, ...rest].join(", ") };
  });
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

/** The findings of a kind. Those that differ in their check alone share their lines. */
function findingLines(title: string, findings: readonly Finding[], kind: string): string[] {
  const ofKind = findings.filter((finding) => finding.kind === kind);
  if (ofKind.length === 0) return [];
  const lines = withOneFix(ofKind).flatMap(({ checks, first }) => [
    "",
    ...checks.map((check) => `  ✗ ${check}`),
    ...indented(`${first.problem} Severity: ${first.severity}.`),
    ...indented(`Expected: ${first.expected} ${basisOf(first)}`),
    ...indented(`Fix: ${first.fix}`),
    ...first.evidence
      .slice(0, 1)
      .flatMap(({ sent, answer }) => [
        ...sent.split("\n").map((line) => `      ${line}`),
        ...answer.split("\n").map((line) => `      > ${line}`),
      ]),
  ]);
  return ["", `${title}: ${ofKind.length}`, ...lines];
}

/** Why checks were left out, once for all that share a reason, and which. */
function notChecked(checks: readonly CheckResult[]): string[] {
  const reasons = new Set(checks.flatMap(({ reason }) => (reason === undefined ? [] : [reason])));
  return [...reasons].map((reason) => {
    const left = checks.filter((check) => check.reason === reason && check.outcome === "not_checked");
    if (left.length === 0) return reason;
    const names = left.slice(0, mostNamed).map(({ name }) => name);
    const more =
      left.length > mostNamed ? `, and ${left.length - mostNamed} more, which the data of the report names` : "";
    return `${reason} (${names.join("; ")}${more})`;
  });
}

const mostNamed = 30;

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
