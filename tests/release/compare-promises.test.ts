import { describe, expect, it } from "vitest";
import { changedMigrations, comparePromises } from "../../scripts/release/compare/promises.ts";

const before = {
  "variable CALL_TRANSFER_API_KEY": true,
  "default maxRetries": 2,
  "migration of a data file from version 0": "d54f",
};
const { "variable CALL_TRANSFER_API_KEY": _, ...withoutVariable } = before;
const changes = (after: object) =>
  comparePromises(JSON.stringify(before), JSON.stringify(after)).map(({ bump, place }) => `${bump} ${place}`);

describe("a change of what customers rely on", () => {
  it.each<[string, object, string[]]>([
    ["nothing", before, []],
    ["a new variable", { ...before, "variable CALL_TRANSFER_LOG": true }, ["minor variable CALL_TRANSFER_LOG"]],
    [
      "a renamed variable",
      { ...withoutVariable, "variable CALL_TRANSFER_KEY": true },
      ["major variable CALL_TRANSFER_API_KEY", "minor variable CALL_TRANSFER_KEY"],
    ],
    ["another default", { ...before, "default maxRetries": 3 }, ["major default maxRetries"]],
  ])("%s", (_, after, expected) => {
    expect(changes(after)).toEqual(expected);
  });

  it("is not looked for where the last release recorded nothing", () => {
    expect(comparePromises("", JSON.stringify(before))).toEqual([]);
  });
});

describe("a migration of data files", () => {
  const problemsAfter = (after: object) => changedMigrations(JSON.stringify(before), JSON.stringify(after));

  it("may be added", () => {
    expect(problemsAfter({ ...before, "migration of a data file from version 1": "aa" })).toEqual([]);
  });

  it.each([
    ["changed", { ...before, "migration of a data file from version 0": "bb" }],
    ["removed", { "default maxRetries": 2 }],
  ])("may never be %s after its release", (_, after) => {
    expect(problemsAfter(after)).toEqual([expect.stringContaining("from version 0 was changed after its release")]);
  });
});
