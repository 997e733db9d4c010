import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  factsFile,
  measuresIn,
  readStatementFacts,
  type StatementFact,
  statementsIn,
  unfoundMeasures,
  wrongStatements,
} from "../../scripts/statements.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const facts = readStatementFacts(readFileSync(factsFile, "utf8"));
const pages = { specification: read("docs/specification.md"), assumptions: read("docs/assumptions.md") };

describe("the check", () => {
  const statement = (says: string) => ({ place: "calls Call", says, mark: undefined, isBeyond: false });
  const fact = { place: "calls Call", sources: ["§4.6"], says: "in second" };
  const order: StatementFact = { place: "paths/calls get", sources: ["A-9"], says: "list newest first" };
  const unfound = (changed: Partial<StatementFact>) => unfoundMeasures([{ ...order, ...changed }], pages).join();

  it("reads numbers, units, orders and directions, and no names in code", () => {
    expect(measuresIn("The six digits, within an hour (§4.2, A-5).").join(" ")).toBe("6 digit within hour");
    expect(measuresIn("`app` destinations only.")).toEqual([]);
  });

  it.each([
    ["another word", [statement("in millisecond")], [fact], 'states "in millisecond"; §4.6 says "in second"'],
    ["no fact", [statement("in second")], [], 'states "in second", for which there is no fact'],
    ["a fact that nothing states", [], [fact], 'does not state "in second"'],
    ["another mark", [{ ...statement("in second"), mark: "A-8" }], [fact], "is marked A-8, and its fact is from §4.6"],
  ])("reports %s", (_, statements, known, problem) => {
    expect(wrongStatements(statements, known).join()).toContain(problem);
  });

  it("reports a word that the source does not contain", () => {
    expect(unfound({})).toBe("");
    expect(unfound({ says: "list oldest first" })).toContain('states "oldest", which A-9 does not');
    expect(unfound({ place: "paths/calls get =", says: "maximum 1000" })).toContain('states "1000"');
  });
});

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
