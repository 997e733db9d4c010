import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { commands } from "../../packages/mock-server/src/cli/commands.ts";
import {
  attackOptions,
  connectionOptions,
  type OptionTable,
  startOptions,
} from "../../packages/mock-server/src/cli/options.ts";
import { policyRows } from "../../scripts/generate/policies.ts";
import { unread } from "./readers.ts";

const policies = Object.entries(policyRows).map(([name, row]) => ({
  name,
  file: `packages/backend/src/${row["read-by"]}`,
}));

it("every policy is read by the file that its row names", () => {
  expect(unread(policies, "openapi/control/policies.yaml")).toEqual([]);
});

const folder = "packages/mock-server/src/cli/";
const optionTable = `${folder}options.ts`;
const inFile = (table: OptionTable, file: string) =>
  Object.keys(table).map((name) => ({ name, file: `${folder}${file}` }));

it.each<[table: OptionTable, ...files: string[]]>([
  [startOptions, "start.ts", "start-options.ts", "settings.ts"],
  [connectionOptions, "program.ts", "settings.ts"],
  [attackOptions, "attack-command.ts"],
])("each option of a table is read by the files of its command", (table, ...files) => {
  const left = files.map((file) => new Set(unread(inFile(table, file), optionTable).map((text) => text.split(",")[0])));
  expect([...(left[0] ?? [])].filter((text) => left.every((others) => others.has(text)))).toEqual([]);
});

it("every command reads its own options", () => {
  const sources = readdirSync(folder).map((name) => ({ name, text: readFileSync(folder + name, "utf8") }));
  const rows = commands.flatMap(({ name, actions }) => {
    const file = sources.find(({ text }) => text.includes(`  name: "${name}",`))?.name ?? "";
    return actions.flatMap(({ options }) => inFile(options, file));
  });
  expect(unread(rows, "The command")).toEqual([]);
});

it("finds rows that no code reads, and says what to do", () => {
  const file = "packages/backend/src/rules/calls.ts";
  expect(unread([{ name: "ringsTwice", file }], "openapi/control/policies.yaml")).toEqual([
    `openapi/control/policies.yaml has ringsTwice, but ${file} does not read it. Read it there, name the file that does, or remove the row.`,
  ]);
  const planted: OptionTable = { linger: { value: "TIME", help: "" } };
  expect(unread(inFile(planted, "start.ts"), optionTable)).toEqual([
    `${optionTable} has linger, but ${folder}start.ts does not read it. Read it there, name the file that does, or remove the row.`,
  ]);
});
