// A row that no longer fits its source would otherwise only show at night.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openapiFolder } from "../../scripts/generate/read/document.ts";
import { contractMutants, type Mutant, simulationMutants, sourceOf, withBug } from "./plant.ts";
import { withWrongFact, wrongFacts } from "./wrong-facts.ts";

const problemsOf = (mutants: readonly Mutant[]): unknown[] =>
  mutants.flatMap((mutant) => {
    try {
      withBug(mutant, sourceOf(mutant.file));
      return [];
    } catch (error) {
      return [error];
    }
  });

const unchangedFacts = (): unknown[] =>
  wrongFacts.filter((fact) => {
    const source = readFileSync(new URL(fact.file, openapiFolder), "utf8");
    return withWrongFact(fact, source) === source;
  });

describe.each([
  ["mutants for the contract suite", contractMutants, () => problemsOf(contractMutants)],
  ["mutants for the simulation", simulationMutants, () => problemsOf(simulationMutants)],
  ["wrong facts", wrongFacts, unchangedFacts],
])("the %s", (_, rows, problems) => {
  it("have unique names", () => {
    const names = rows.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it("each change their file", () => {
    expect(problems()).toEqual([]);
  });
});
