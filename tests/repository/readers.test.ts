import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { commands } from "../../packages/mock-server/src/cli/commands/all.ts";
import type { OptionTable } from "../../packages/mock-server/src/cli/options/option-entry.ts";
import { attackOptions, commandOptions, startOptions } from "../../packages/mock-server/src/cli/options/options.ts";
import { policyRows } from "../../scripts/generate/policies.ts";
import { unread } from "./readers.ts";

const policies = Object.entries(policyRows).map(([name, row]) => ({
  name,
  file: `packages/backend/src/${row["read-by"]}`,
}));

it("every policy is read by the file that its row names", () => {
  expect(unread(policies, "openapi/control/policies.yaml")).toEqual([]);
});

const mockServer = "packages/mock-server/src/";
const optionTable = `${mockServer}cli/options/options.ts`;
const options = (table: OptionTable, reader = "") =>
  Object.entries(table).map(([name, { readBy = reader }]) => ({ name, file: `${mockServer}${readBy}` }));

it.each<[reader: string, table: OptionTable]>([
  ["cli/start/start-options.ts", startOptions],
  ["cli/run.ts", commandOptions],
  ["cli/attack-command.ts", attackOptions],
])("%s reads the options of its table whose rows name no other file", (reader, table) => {
  expect(unread(options(table, reader), optionTable)).toEqual([]);
});

it("every command reads its own options", () => {
  const folder = `${mockServer}cli/commands/`;
  const sources = readdirSync(folder).map((name) => ({
    path: folder + name,
    text: readFileSync(folder + name, "utf8"),
  }));
  const rows = commands.flatMap((command) => {
    const file = sources.find(({ text }) => text.includes(`name: "${command.name}"`))?.path ?? folder;
    return Object.keys(command.options).map((name) => ({ name, file }));
  });
  expect(unread(rows, "The command")).toEqual([]);
});

it("finds rows that no code reads, and says what to do", () => {
  const file = "packages/backend/src/rules/calls.ts";
  expect(unread([{ name: "ringsTwice", file }], "openapi/control/policies.yaml")).toEqual([
    `openapi/control/policies.yaml has ringsTwice, but ${file} does not read it. Read it there, name the file that does, or remove the row.`,
  ]);
  const planted: OptionTable = { linger: { type: "string", readBy: "cli/start/start.ts" } };
  expect(unread(options(planted), optionTable)).toEqual([
    `${optionTable} has linger, but ${mockServer}cli/start/start.ts does not read it. Read it there, name the file that does, or remove the row.`,
  ]);
});
