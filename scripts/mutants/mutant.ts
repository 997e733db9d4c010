import type { Mutant } from "../plant.ts";

/** A backend that breaks one rule, and where to look for the case that says so. */
export interface RuleMutant extends Mutant {
  /** The section of the specification, or the row of docs/assumptions.md, that the rule is from. */
  readonly rule: string;
  /** Cases whose noun and name fit are run first. */
  readonly first: RegExp;
}
