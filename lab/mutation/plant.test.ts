import { describe, expect, it } from "vitest";
import { mutants } from "./mutants.ts";
import { type Mutant, readTable, replaceAt, simulationMutants, sourceOf, withBug } from "./plant.ts";

const source = `
function smaller(a: number, b: number) {
  // A comment: a < b.
  return a <
    b;
}
const later = { "by-date": (a: number, b: number) => a < b && b > a };
const form = /^x{12}$/i;
`;
const replaced = (within: string, from: string, to: string) => replaceAt({ file: "some.ts", within, from, to }, source);

describe("planting a bug", () => {
  it.each([
    ["smaller", "a < b", "a <= b", "return a <= b;"],
    ["by-date", "a<b", "… || true", "a < b || true && b > a"],
    ["form", "~{12}$", "~{12}", "/^x{12}/i"],
  ])("replaces the code inside %s", (within, from, to, result) => {
    expect(replaced(within, from, to)).toContain(result);
  });

  it.each([
    ["gone", "a < b", 'packages/some.ts declares no "gone". Name the declaration that contains: a < b'],
    ["smaller", "b > a", '"smaller" in packages/some.ts must contain this code once, not 0 times: b > a'],
    ["later", "b", '"later" in packages/some.ts must contain this code once, not 3 times: b'],
  ])("reports an address that does not match: %s, %s", (within, from, message) => {
    expect(() => replaced(within, from, "c")).toThrow(message);
  });

  it("refuses a row with a missing cell", () => {
    expect(() => readTable("= Group\n@ some.ts\nname ¦ smaller ¦ a < b")).toThrow("Line 3 of the table must be");
  });
});

const suites = {
  "the contract suite": mutants,
  "the simulation": simulationMutants,
};

describe.each(Object.entries(suites))("the mutants for %s", (_, all: readonly Mutant[]) => {
  it("have unique names", () => {
    const names = all.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it("each change their file", () => {
    const problems = all.flatMap((one) => {
      try {
        withBug(one, sourceOf(one.file));
        return [];
      } catch (error) {
        return [error instanceof Error ? error.message : String(error)];
      }
    });
    expect(problems).toEqual([]);
  });
});
