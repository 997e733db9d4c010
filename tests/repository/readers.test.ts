import { expect, it } from "vitest";
import { policyRows } from "../../scripts/generate/policies.ts";
import { unread } from "./readers.ts";

const policies = Object.entries(policyRows).map(([name, row]) => ({
  name,
  file: `packages/backend/src/${row["read-by"]}`,
}));

it("every policy is read by the file that its row names", () => {
  expect(unread(policies, "openapi/control/policies.yaml")).toEqual([]);
});

it("finds a row that no code reads, and says what to do", () => {
  const file = "packages/backend/src/rules/calls.ts";
  expect(unread([...policies, { name: "ringsTwice", file }], "openapi/control/policies.yaml")).toEqual([
    `openapi/control/policies.yaml has ringsTwice, but ${file} does not read it. Read it there, name the file that does, or remove the row.`,
  ]);
});
