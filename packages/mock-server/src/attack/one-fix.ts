/** What findings are compared by. */
interface Found {
  readonly check: string;
  readonly cites: string;
  readonly severity: string;
  readonly problem: string;
  readonly fix: string;
}

/** The findings in groups: those that differ in nothing but the check and its evidence are shown once. */
export function withOneFix<Finding extends Found>(
  findings: readonly Finding[],
): { readonly checks: string[]; readonly first: Finding }[] {
  const groups = new Map<string, { readonly checks: string[]; readonly first: Finding }>();
  for (const finding of findings) {
    const key = [finding.problem, finding.fix, finding.cites, finding.severity].join("\n");
    const group = groups.get(key) ?? { checks: [], first: finding };
    group.checks.push(finding.check);
    groups.set(key, group);
  }
  return [...groups.values()];
}
