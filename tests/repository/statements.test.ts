import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  factsFile,
  readStatementFacts,
  statementsIn,
  unfoundMeasures,
  wrongStatements,
} from "../../scripts/statements.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const facts = readStatementFacts(readFileSync(factsFile, "utf8"));
const pages = { specification: read("docs/specification.md"), assumptions: read("docs/assumptions.md") };

describe("scripts/statements.txt", () => {
  it("has a row for each text and each assumed keyword of openapi/, and says the same", () => {
    expect(wrongStatements(statementsIn(new URL("../../openapi/", import.meta.url)), facts)).toEqual([]);
  });

  it("has each place once", () => {
    const places = facts.map(({ place }) => place);
    expect(places).toEqual([...new Set(places)]);
  });

  it("says nothing that its sources do not", () => {
    expect(unfoundMeasures(facts, pages)).toEqual([]);
  });
});
