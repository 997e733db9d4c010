import type { Finding } from "./report.ts";

/** Findings of one problem, which one fix ends. */
export interface FindingGroup {
  readonly checks: string[];
  readonly first: Finding;
}

/** The findings in groups: those with the same problem and fix are shown once. */
export function withOneFix(findings: readonly Finding[]): FindingGroup[] {
  const groups = new Map<string, FindingGroup>();
  for (const finding of findings) {
    const key = `${finding.problem}\n${finding.fix}`;
    const group = groups.get(key) ?? { checks: [], first: finding };
    group.checks.push(finding.check);
    groups.set(key, group);
  }
  return [...groups.values()];
}
