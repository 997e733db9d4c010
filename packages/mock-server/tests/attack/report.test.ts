import { describe, expect, it } from "vitest";
import { formatMarkdown } from "../../src/attack/format-report.ts";
import {
  AttackFindingsError,
  type AttackReport,
  type CheckResult,
  expectNoFindings,
  type Finding,
  formatReport,
} from "../../src/attack.ts";

const clean: AttackReport = {
  urls: ["http://127.0.0.1:3000/offers"],
  seed: 7,
  findings: [],
  checks: [
    { name: "a plain offer", group: "genuine", cites: "§6.1", outcome: "passed" },
    { name: "no signature header", group: "forged", cites: "§6.1", outcome: "passed" },
    {
      name: "the same bytes again",
      group: "duplicates",
      cites: "A-32",
      outcome: "passed",
      reason: "Counts: give handled.",
    },
    {
      name: "a long body",
      group: "limits",
      cites: "§6",
      outcome: "passed",
      note: "A body of 64 MB got status 413 after 2.0 MB.",
    },
    { name: "the signing secret", group: "leaks", cites: "§6", outcome: "passed" },
  ],
  deliveries: { sent: 5, accepted: 2, refused: 2, unanswered: 1 },
  answerTimes: { medianMs: 1.5, maxMs: 20 },
};

const crash: Omit<Finding, "check"> = {
  kind: "other",
  cites: "§6.1",
  basis: "stated",
  severity: "low",
  expected: "A status from 400 to 499.",
  problem: "A forgery got status 500.",
  fix: "Answer 400.",
  evidence: [],
};
const sent = "curl -X POST http://127.0.0.1:3000/offers \\\n  --data-binary '{}'";
const findings: readonly Finding[] = [
  { ...crash, check: "no signature header" },
  {
    ...crash,
    kind: "accepted",
    check: "an empty v1",
    cites: "A-31",
    basis: "assumed",
    severity: "high",
    problem: "A forgery got status 200.",
    fix: "Verify.",
    evidence: [{ sent, answer: "status 200: ```" }],
  },
  { ...crash, check: "an empty signature header" },
];
/** A check may find several things. */
const more: Finding = { ...crash, kind: "handled_twice", check: "an empty v1", problem: "It was handled twice." };

describe("formatReport", () => {
  it("shows each group of checks, what was not checked, and the figures", () => {
    expect(formatReport(clean)).toBe(`Attacked http://127.0.0.1:3000/offers

  ✓ Genuine offers are accepted        1 of 1 passed
  ✓ Forgeries are refused              1 of 1 passed
  ✓ Each event is handled once         1 of 1 passed, as far as answers show
  ✓ Long and broken bodies do no harm  1 of 1 passed
  ✓ Answers leak nothing               1 of 1 passed

Not checked
  – Counts: give handled.

5 deliveries: 2 accepted, 2 refused, 1 not answered. Answers took 1.5 ms in the median, 20 ms at most.
A body of 64 MB got status 413 after 2.0 MB.

No findings.`);
  });

  it("shows findings by kind, and what several checks found once", () => {
    expect(formatReport({ ...clean, findings })).toContain(`
Accepted, but must be refused: 1

  ✗ an empty v1
    A forgery got status 200. Severity: high.
    Expected: A status from 400 to 499. (A-31, assumed: the specification is silent)
    Fix: Verify.
      curl -X POST http://127.0.0.1:3000/offers \\
        --data-binary '{}'
      > status 200: \`\`\`

Other problems: 2

  ✗ no signature header
  ✗ an empty signature header
    A forgery got status 500. Severity: low.
    Expected: A status from 400 to 499. (§6.1, stated by the specification)
    Fix: Answer 400.
`);
  });

  it("keeps findings apart that rest on something else, or are more severe", () => {
    const assumed = { ...crash, check: "a changed body", cites: "A-31", basis: "assumed" } as const;
    const report = {
      ...clean,
      findings: [...findings, assumed, { ...crash, check: "a long header", severity: "high" }],
    };
    for (const text of [formatReport(report as AttackReport), formatMarkdown(report as AttackReport)]) {
      expect(text).toMatch(/a changed body[^✗#]*\(A-31, assumed/);
      expect(text).toMatch(/a long header[^✗#]*high/);
    }
  });

  it("counts a single delivery in the singular", () => {
    const deliveries = { sent: 1, accepted: 0, refused: 1, unanswered: 0 };
    expect(formatReport({ ...clean, deliveries })).toContain("\n1 delivery: 0 accepted, 1 refused");
  });

  it("breaks long sentences into lines", () => {
    const fix = "Verify the bytes as they were received. ".repeat(6).trim();
    const text = formatReport({ ...clean, findings: [{ ...crash, check: "an empty v1", fix }] });
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(110);
    expect(text.replaceAll(/\n +/g, " ")).toContain(fix);
  });
});

describe("formatMarkdown", () => {
  it("shows the findings in sections, with what was sent and what came", () => {
    const text = formatMarkdown({ ...clean, findings });
    expect(text).toContain(`
## 1. Accepted, but must be refused: an empty v1

- **Severity:** high
- **Expected:** A status from 400 to 499. (A-31, assumed: the specification is silent)
- **Found:** A forgery got status 200.
- **Fix:** Verify.

\`\`\`sh
${sent}
\`\`\`

\`\`\`\`text
status 200: \`\`\`
\`\`\`\`

## 2. Other problems: no signature header; an empty signature header
`);
    expect(text).toContain("| ✓ | Genuine offers are accepted | 1 of 1 passed |");
    expect(text).toContain("\n## Not checked\n\n- Counts: give handled.\n");
  });
});

describe("what was not checked", () => {
  it("is named with its reason, and a long list is cut", () => {
    const left = (name: string) => ({ ...clean.checks[0], name, outcome: "not_checked", reason: "The end." }) as const;
    const checks = Array.from({ length: 33 }, (_, index) => left(`check ${index}`) as CheckResult);
    expect(formatReport({ ...clean, checks: checks.slice(0, 2) })).toContain("  – The end. (check 0; check 1)");
    expect(formatReport({ ...clean, checks }).replaceAll(/\n +/g, " ")).toContain("check 29, and 3 more, which");
  });
});

describe("expectNoFindings", () => {
  it("accepts a report without findings", () => {
    expect(() => expectNoFindings(clean)).not.toThrow();
  });

  it("throws an error that lists the findings, those with one fix together, and has the report", () => {
    const report = { ...clean, findings: [...findings, more] };
    const error = new AttackFindingsError(report);
    expect(() => expectNoFindings(report)).toThrow(error);
    expect(error).toMatchObject({ name: "AttackFindingsError", code: "ERR_ASSERTION", report });
    expect(error.message).toBe(`The receiver failed 3 of the attack's checks:
- no signature header
- an empty signature header
  A forgery got status 500.
  Fix: Answer 400.
- an empty v1
  A forgery got status 200.
  Fix: Verify.
- an empty v1
  It was handled twice.
  Fix: Answer 400.`);
  });
});
