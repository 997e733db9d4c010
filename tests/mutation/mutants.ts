// Every bug that is planted in the reference backend: the table of rules, and what follows from the generated tables.
import { readFileSync } from "node:fs";
import { derivedMutants } from "./derived.ts";
import { type Mutant, readTable } from "./plant.ts";

export const mutants: readonly Mutant[] = [
  ...readTable(readFileSync(new URL("rules.txt", import.meta.url), "utf8")),
  ...derivedMutants,
];
