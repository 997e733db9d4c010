import { mutantGroups } from "./mutants.ts";
import type { Outcome } from "./worker.ts";

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/** How many mutants of each kind there are; all of them caught, or the run fails. */
export const mutantsTable = (): string =>
  [
    row(["The reference backend, broken in one place at a time", "Mutants caught"]),
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
    "# Wrong backends",
    "",
    "Written by `npm run mutants`, which breaks the reference backend in one place at a time and runs the contract suite on",
    "it. A suite that passes on a wrong backend proves nothing, so each of these must fail a case; the one named is the",
    "first that does, and seldom the only one. Mutants of the generated tables are derived from them, so a new limit, keyword,",
    "operation or code brings its own. The suite itself and the SDK keep the right tables.",
    "",
    "A rule such as §8.3 is a number of [the specification](../docs/specification.md), one such as A-24 a row of",
    "[the assumptions](../docs/assumptions.md).",
    "",
    `${groups.reduce((sum, [, mutants]) => sum + mutants.length, 0)} mutants, all caught.`,
    "",
    sections.join("\n\n"),
  ].join("\n")}\n`;
}
