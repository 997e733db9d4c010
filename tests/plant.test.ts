import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mutantGroups } from "./mutation/mutants.ts";
import { type Mutant, withBug } from "./plant.ts";
import { mutants as simulated } from "./simulate/mutants.ts";

const mutant: Mutant = { name: "more", file: "some.ts", from: "a < b", to: "a <= b" };
const suites = { "the contract suite": Object.values(mutantGroups).flat(), "the simulation": simulated };

describe("planting a bug", () => {
  it("changes the one place that says so", () => {
    expect(withBug(mutant, "if (a < b) go();")).toBe("if (a <= b) go();");
  });

  it.each(["if (a <= b) go();", "a < b, a < b"])("refuses a source that does not say it once: %s", (source) => {
    expect(() => withBug(mutant, source)).toThrow("not once");
  });
});

describe.each(Object.entries(suites))("the mutants for %s", (_, mutants: readonly Mutant[]) => {
  it("have names of their own", () => {
    const names = mutants.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it("each change something that their file says once", () => {
    const sourceOf = (file: string) => readFileSync(new URL(`../packages/${file}`, import.meta.url), "utf8");
    const unchanged = mutants.filter((one) => withBug(one, sourceOf(one.file)) === sourceOf(one.file));
    expect(unchanged).toEqual([]);
  });
});
