import { derivedMutants } from "./derived.ts";
import type { RuleMutant } from "./mutant.ts";
import { ruleMutants } from "./rules.ts";

/** Every mutant, under the words for its kind. */
export const mutantGroups: Readonly<Record<string, readonly RuleMutant[]>> = { ...ruleMutants, ...derivedMutants };
