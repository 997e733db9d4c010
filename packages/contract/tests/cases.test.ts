import { expect, it } from "vitest";
import { cases } from "../src/cases/index.ts";

it("no two cases have the same name, so that a result names one case", () => {
  const names = cases.map(({ noun, name }) => `${noun}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
