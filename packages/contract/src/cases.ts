import type { ContractCase } from "./case.ts";
import { destinationGroupCases } from "./destination-groups.contract.ts";
import { negativeCases } from "./negatives.ts";

/** Every case of the suite. */
export const cases: readonly ContractCase[] = [...destinationGroupCases, ...negativeCases];
