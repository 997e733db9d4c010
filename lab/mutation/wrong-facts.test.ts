import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openapiFolder } from "../../scripts/generate/read/document.ts";
import {
  type Caught,
  readWrongFacts,
  tryWrongFacts,
  type WrongFact,
  withWrongFact,
  wrongFacts,
} from "./wrong-facts.ts";

/** What caught each wrong fact, by its name. */
async function caughtBy(facts: readonly WrongFact[]): Promise<[string, Caught | undefined][]> {
  const results: [string, Caught | undefined][] = [];
  await tryWrongFacts(facts, ({ name }, caught) => results.push([name, caught]));
  return results;
}

const row = (text: string, wrong: string) => ({ name: "row", file: "a.yaml", text, wrong });

describe("a wrong fact", () => {
  it.each([
    ["b: 1", "b: 2", "a:\n  b: 2\nc:\n  d: 1"],
    ["c: … 1", "2", "a:\n  b: 1\nc:\n  d: 2"],
    ["b: 1", "b: 1\\ne: 3", "a:\n  b: 1\n  e: 3\nc:\n  d: 1"],
  ])("replaces %s by %s", (text, wrong, result) => {
    expect(withWrongFact(row(text, wrong), "a:\n  b: 1\nc:\n  d: 1")).toBe(result);
  });

  it("stands at the first place with the text, so that an operation added below changes nothing", () => {
    expect(withWrongFact(row(": 1", ": 2"), "b: 1\nd: 1")).toBe("b: 2\nd: 1");
  });

  it("is refused for a text that is not there", () => {
    expect(() => withWrongFact(row("e: 1", ""), "b: 1\nd: 1")).toThrow("does not contain");
  });

  it("is refused for a row with a missing cell", () => {
    expect(() => readWrongFacts("# A comment\nname ¦ a.yaml ¦ text")).toThrow("Line 2 of the table must be");
  });
});

/** Additions with the mark, in the form of wrong facts. */
const marked = String.raw`
a code ¦ error-codes.yaml ¦ email_already_exists: { ¦ too_many_groups: { status: 409, x-beyond-specification: true, meaning: There are too many groups., advice: Delete one. }\nemail_already_exists: {
a field code ¦ error-codes.yaml ¦ too_long: { ¦ too_wide: { x-beyond-specification: true, meaning: The value is too wide., advice: Narrow it. }\ntoo_long: {
a field ¦ schemas/destinations.yaml ¦ enabled:\n      type: boolean ¦ label:\n  type: string\n  description: Its label.\n  x-beyond-specification: true\nenabled:\n  type: boolean
a status ¦ error-codes.yaml ¦ email_already_exists: { ¦ rotating: { status: 409, when: [rotateDestinationSecret], x-beyond-specification: true, meaning: A rotation is under way., advice: Wait. }\nemail_already_exists: {
a value ¦ schemas/destinations.yaml ¦ enum: [phone, available_humans, app] ¦ enum: [phone, available_humans, app, sip]\nx-beyond-specification: true
`;

describe("the table of wrong facts", () => {
  it("has unique names, and changes openapi/ in each row", () => {
    const names = wrongFacts.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    const unchanged = wrongFacts.filter((fact) => {
      const source = readFileSync(new URL(fact.file, openapiFolder), "utf8");
      return withWrongFact(fact, source) === source;
    });
    expect(unchanged).toEqual([]);
  });

  it("is no addition with the mark, and distinguishes what is caught from a crash", async () => {
    const results = await caughtBy(readWrongFacts(marked));
    expect(results.filter(([, caught]) => caught !== undefined)).toEqual([]);
    expect(results.length).toBe(5);
    const rows = "no regular expression ¦ schemas/calls.yaml ¦ '^\\+[1-9] ¦ '(^\\+[1-9]";
    expect((await caughtBy(readWrongFacts(rows))).map(([, caught]) => caught?.by)).toEqual(["crash"]);
  });
});
