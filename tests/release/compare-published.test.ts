import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { pythonRetryFile, schemaFiles, vectorsFolder } from "../../scripts/release/baseline.ts";
import type { Change } from "../../scripts/release/change.ts";
import { compareBudgets } from "../../scripts/release/compare/python-budget.ts";
import { compareSettings } from "../../scripts/release/compare/settings.ts";
import { compareVectors } from "../../scripts/release/compare/vectors.ts";
import { textNow } from "../../scripts/release/tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
const linesOf = (changes: readonly Change[]): string[] =>
  changes.map(({ bump, place, message }) => `${bump} ${place}: ${message}`);

describe("a change of the vectors", () => {
  const first = { name: "first", seconds: 1 };
  const second = { name: "second", seconds: 2 };
  const texts = (files: Readonly<Record<string, object>>): string =>
    JSON.stringify(
      Object.fromEntries([
        [`${vectorsFolder}/README.md`, "# Vectors"],
        ...Object.entries(files).map(([name, file]) => [`${vectorsFolder}/${name}`, JSON.stringify(file)]),
      ]),
    );
  const hints = { about: "Waits.", cases: [first] };

  it.each<[string, Readonly<Record<string, object>>, string[]]>([
    ["nothing", { "hints.json": hints }, []],
    ["a file that is gone", {}, ["major vectors/hints.json: was removed"]],
    ["a new file", { "hints.json": hints, "more.json": hints }, ["minor vectors/more.json: was added"]],
    [
      "a new case",
      { "hints.json": { ...hints, cases: [second, first] } },
      ["minor vectors/hints.json, case second: was added"],
    ],
    [
      "another case under the same name",
      { "hints.json": { ...hints, cases: [{ ...first, seconds: 3 }] } },
      ["major vectors/hints.json, case first: was changed"],
    ],
    [
      "a case that is gone",
      { "hints.json": { ...hints, cases: [] } },
      ["major vectors/hints.json, case first: was removed"],
    ],
    [
      "another text",
      { "hints.json": { ...hints, about: "How long." } },
      ["patch vectors/hints.json, about: was reworded"],
    ],
    [
      "another version of their form",
      { "hints.json": { ...hints, version: 2 } },
      ["major vectors/hints.json: is to be read in another way"],
    ],
  ])("%s", (_, after, expected) => {
    expect(linesOf(compareVectors(texts({ "hints.json": hints }), texts(after)))).toEqual(expected);
  });

  it("is a major if the whole folder is gone", () => {
    expect(linesOf(compareVectors(texts({ "hints.json": hints }), ""))).toEqual([
      "major vectors/hints.json: was removed",
    ]);
  });
});

describe("a change of a schema for what customers write", () => {
  const [config = "", ...others] = schemaFiles;

  it.each([
    ["a removed key", '"port": {', '"door": {', ["major config.schema.json.port: the field was removed"]],
    ["a new key", '"port": {', '"door": { "type": "string" },\n    "port": {', ["minor config.schema.json.door"]],
    [
      "fewer values",
      '"enum": ["running", "frozen"]',
      '"enum": ["running"]',
      ['major config.schema.json.clock: value "frozen" was removed'],
    ],
    [
      "another default",
      '"default": 4010',
      '"default": 4020',
      ["major config.schema.json.port: default 4010 is now 4020"],
    ],
    ["other words", "Port to listen on", "The port to listen on", ["patch config.schema.json.port"]],
    [
      "another schema of the seed",
      './seed.schema.json" }',
      './stubs.schema.json" }',
      ["major config.schema.json.seed"],
    ],
  ])("%s", (_, from, to, expected) => {
    const text = textOf(config);
    expect(text).toContain(from);
    const lines = linesOf(compareSettings(config, text, text.replace(from, to)));
    for (const line of expected) expect(lines).toContainEqual(expect.stringContaining(line));
  });

  it("is a major if the schema is gone", () => {
    expect(linesOf(compareSettings(config, textOf(config), ""))).toEqual(["major config.schema.json: was removed"]);
  });

  it("is none between a schema and itself", () => {
    for (const path of [config, ...others]) expect(compareSettings(path, textOf(path), textOf(path))).toEqual([]);
  });
});

describe("a change of the Python client's retry budget", () => {
  const source = textOf(pythonRetryFile);

  it.each([
    ["RETRY_COST = 5", "RETRY_COST = 50", "major default retry budget, retry_cost: 5 is now 50"],
    ["_CAPACITY = 500.0", "_CAPACITY = 50.0", "major default retry budget, capacity: 500.0 is now 50.0"],
    ["_SUCCESS_GAIN = 1", "_SUCCESS_GAIN = 2", "major default retry budget, success_gain: 1 is now 2"],
    [
      "_GAIN_PER_SECOND = 50 / 3600",
      "_GAIN_PER_SECOND = 5 / 3600",
      "major default retry budget, gain_per_second: 50 / 3600 is now 5 / 3600",
    ],
  ])("is seen: %s", (from, to, expected) => {
    expect(source).toContain(from);
    expect(linesOf(compareBudgets(source, source.replace(from, to)))).toEqual([expected]);
  });

  it("is none in other lines", () => {
    expect(compareBudgets(source, source.replace("class RetryBudget:", "class Budget:"))).toEqual([]);
  });
});

describe("what the last release did not have", () => {
  it.each<[string, () => Change[]]>([
    ["vectors", () => compareVectors("", textNow(root, vectorsFolder))],
    ["a schema", () => compareSettings("config.schema.json", "", "{}")],
    ["a retry budget", () => compareBudgets("", textOf(pythonRetryFile))],
  ])("is not compared: %s", (_, changes) => {
    expect(changes()).toEqual([]);
  });
});
