import { expect, it } from "vitest";
import { cases } from "../src/cases/index.ts";

it("case names are unique", () => {
  const names = cases.map(({ resource, name }) => `${resource}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
