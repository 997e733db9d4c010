import type { Schema } from "@call-transfer/backend/control-client";

/** What an attack on a receiver found. */
export type AttackReport = Schema<"AttackReport">;

/** One check of an attack, with what it found. */
export interface CheckedCheck {
  readonly check: AttackReport["checks"][number];
  readonly findings: AttackReport["findings"];
}

/** The groups of checks, and what each proves. */
const groups = [
  ["genuine", "Genuine offers are accepted"],
  ["forged", "Forged, changed and late offers are refused"],
  ["duplicates", "Each event is handled once"],
  ["limits", "Long and broken bodies do no harm"],
  ["leaks", "Answers leak nothing"],
] as const;

/** Failed checks come first. */
const byOutcome = (one: CheckedCheck, other: CheckedCheck) =>
  Number(other.check.outcome === "failed") - Number(one.check.outcome === "failed");

/**
 * The checks in their groups, each with its findings: failed ones first, and groups with them, too. Groups without a check are
 * left out.
 */
export function groupedChecks({ checks, findings }: Pick<AttackReport, "checks" | "findings">): readonly {
  readonly title: string;
  readonly passed: number;
  readonly checks: readonly CheckedCheck[];
}[] {
  const all = groups.flatMap(([id, title]) => {
    const own = checks.filter(({ group }) => group === id);
    if (own.length === 0) return [];
    return {
      title,
      passed: own.filter(({ outcome }) => outcome === "passed").length,
      checks: own
        .map((check) => ({ check, findings: findings.filter((finding) => finding.check === check.name) }))
        .toSorted(byOutcome),
    };
  });
  return all.toSorted((one, other) => failedIn(other) - failedIn(one));
}

const failedIn = ({ checks }: { readonly checks: readonly CheckedCheck[] }) =>
  Number(checks.some(({ check }) => check.outcome === "failed"));

/** The result of an attack in a sentence. */
export function verdictOf({ checks, deliveries }: Pick<AttackReport, "checks" | "deliveries">): string {
  const count = (outcome: CheckedCheck["check"]["outcome"]) =>
    checks.filter((check) => check.outcome === outcome).length;
  const [passed, failed, open] = [count("passed"), count("failed"), count("not_checked")];
  const parts = [
    `${passed} of ${checks.length} checks passed`,
    failed > 0 && `${failed} failed`,
    open > 0 && `${open} not checked`,
  ];
  return `${parts.filter(Boolean).join(", ")}. ${deliveries.sent} deliveries were sent.`;
}
