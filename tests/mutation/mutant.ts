import type { Mutant } from "../plant.ts";

/** A backend that breaks one rule, and where to look for the case that says so. */
export interface RuleMutant extends Mutant {
  /** The section of the specification, or the row of docs/assumptions.md, that the rule is from. */
  readonly rule: string;
  /** Cases whose noun and name fit are run first. */
  readonly first: RegExp;
}

/** Mutants of one file of the backend, and the cases to look at first. */
export const inFile =
  (path: string, first: RegExp) =>
  (rule: string, name: string, from: string, to: string): RuleMutant => ({
    name,
    rule,
    file: `backend/src/${path}`,
    from,
    to,
    first,
  });
