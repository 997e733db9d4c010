import { mutantGroups } from "./mutants.ts";
import type { Outcome } from "./worker.ts";

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** The number of mutants of each group. The run fails unless all of them are caught. */
export const mutantsTable = (): string =>
  [
    row(["Area of the mutant", "Mutants caught"]),
    row(["---", "---"]),
    ...Object.entries(mutantGroups).map(([group, mutants]) => row([group, String(mutants.length)])),
  ].join("\n");

/** The table of all mutants with the case that caught each; the same for the same cases and mutants. */
export function mutantsMarkdown(outcomes: ReadonlyMap<string, Outcome>): string {
  const groups = Object.entries(mutantGroups);
  const sections = groups.map(([group, mutants]) => {
    const rows = mutants.map(({ name, rule }) => row([name, rule, outcomes.get(name)?.caughtBy ?? "none"]));
    return [
      `## ${group}`,
      "",
      row(["The backend", "Rule", "First caught by"]),
      row(["---", "---", "---"]),
      ...rows,
    ].join("\n");
  });
  return `${[
    "# Mutants",
    "",
    "Written by `npm run mutants`. It breaks the reference backend in one place at a time and runs the contract suite against",
    "it. A suite that passes on a broken backend proves nothing, so each mutant must fail at least one case. The table names",
    "the first case that fails. Mutants of the generated tables are derived from those tables, so a new limit, keyword,",
    "operation or code gets its own. The suite itself and the SDK keep the correct tables.",
    "",
    "A rule such as §8.3 is a rule of [the specification](../docs/specification.md). One such as A-24 is a row of",
    "[the assumptions](../docs/assumptions.md).",
    "",
    `${groups.reduce((sum, [, mutants]) => sum + mutants.length, 0)} mutants, all caught.`,
    "",
    sections.join("\n\n"),
  ].join("\n")}\n`;
}
