// Compares the retry budget of the Python client: numbers in its sources that no signature and no option shows.
import { type Change, change, changeIf, compareNamed } from "../change.ts";

/** The constants of the budget, and what the gate calls them: as those of the TypeScript client. */
const constants: Readonly<Record<string, string>> = {
  _CAPACITY: "capacity",
  RETRY_COST: "retry_cost",
  _SUCCESS_GAIN: "success_gain",
  _GAIN_PER_SECOND: "gain_per_second",
};

const budgetIn = (source: string): Map<string, string> =>
  new Map(
    Object.entries(constants).flatMap(([constant, name]): [string, string][] => {
      const value = new RegExp(`^${constant} = ([^#\\n]*)`, "m").exec(source)?.[1]?.trim();
      return value === undefined ? [] : [[`default retry budget, ${name}`, value]];
    }),
  );

/** Every change between two sources of the budget. A text that is empty was not there: there is nothing to compare. */
export function compareBudgets(before: string, after: string): Change[] {
  if (before === "") return [];
  return compareNamed(budgetIn(before), budgetIn(after), {
    removed: (name) =>
      change("major", name, "was removed, or stands where scripts/release/compare/python-budget.ts does not find it"),
    added: (name) => change("minor", name, "was added"),
    kept: (was, is, name) => changeIf(was !== is, "major", name, `${was} is now ${is}`),
  });
}
