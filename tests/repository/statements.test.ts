import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  factsFile,
  measuresIn,
  quantitiesIn,
  readStatementFacts,
  type StatementFact,
  statementsIn,
  unfoundMeasures,
  wrongStatements,
} from "../../scripts/statements.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const facts = readStatementFacts(readFileSync(factsFile, "utf8"));
const pages = { specification: read("docs/specification.md"), assumptions: read("docs/assumptions.md") };

describe("the numbers, units, orders and directions of a text", () => {
  it.each([
    ["5 to 60 seconds; 30 by default.", "5 60 second 30 default"],
    ["The six digits, within an hour (§4.2, A-5).", "6 digit within hour"],
    ["`app` destinations only. The last characters.", "`app` last character"],
    ["The calls of this page, newest first.", "newest first"],
  ])("of %s are: %s", (text, words) => {
    expect(measuresIn(text).join(" ")).toBe(words);
  });

  it("are none of a text with only names in code", () => {
    expect(measuresIn("`app` destinations only.")).toEqual([]);
  });

  it("are only quantities in an advice", () => {
    expect(quantitiesIn("Request a new code, and enter it within 15 minutes.")).toEqual(["within", "15", "minute"]);
  });
});

describe("statements", () => {
  const statement = (says: string) => ({ place: "calls Call", says, mark: undefined, isBeyond: false });
  const fact = { place: "calls Call", sources: ["§4.6"], says: "in second" };

  it.each(["calls Call ¦ §4.6", "calls Call ¦ ? ¦ second", "calls Call ¦ §4.6, the page ¦ second"])(
    "need facts with a source, not: %s",
    (row) => {
      expect(() => readStatementFacts(row)).toThrow("Line 1 must be");
    },
  );

  it("agree with their facts", () => {
    expect(wrongStatements([statement("in second")], [fact])).toEqual([]);
  });

  it.each([
    ["another word", [statement("in millisecond")], [fact], 'states "in millisecond"; §4.6 says "in second"'],
    ["no fact", [statement("in second")], [], 'states "in second", for which there is no fact'],
    ["a fact that nothing states", [], [fact], 'does not state "in second"'],
    ["another mark", [{ ...statement("in second"), mark: "A-8" }], [fact], "is marked A-8, and its fact is from §4.6"],
  ])("are reported for %s", (_, statements, known, problem) => {
    expect(wrongStatements(statements, known).join()).toContain(problem);
  });

  it("of additions need no fact", () => {
    expect(wrongStatements([{ ...statement("in second"), isBeyond: true }], [])).toEqual([]);
  });
});

describe("sources", () => {
  const order: StatementFact = { place: "paths/calls get", sources: ["A-9"], says: "list newest first" };
  const unfound = (changed: Partial<StatementFact>) => unfoundMeasures([{ ...order, ...changed }], pages).join();

  it("contain the numbers, units, orders and directions that they are cited for", () => {
    expect(unfound({})).toBe("");
    expect(unfound({ says: "later", sources: ["A-9", "later = inclusive lower bound"] })).toBe("");
  });

  it.each([
    ["an order", { says: "list oldest first" }, 'states "oldest", which A-9 does not'],
    ["a number", { place: "paths/calls get =", says: "maximum 1000" }, 'states "1000"'],
    [
      "a unit of another code",
      { place: "error-codes api_key_expired meaning", sources: ["§7.2"], says: "15 minute" },
      '"15"',
    ],
    ["other words that are not there", { says: "later", sources: ["A-9", "later = exclusive lower bound"] }, '"later"'],
  ])("are reported for %s that they lack", (_, changed, problem) => {
    expect(unfound(changed)).toContain(problem);
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
