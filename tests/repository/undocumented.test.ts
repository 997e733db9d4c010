import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it, onTestFinished } from "vitest";
import { undocumentedIn } from "./undocumented.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const { compilerOptions } = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile).config;
const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, types: ["node"] }, root);

/** The source of each public entry of a package. */
function entriesOf(manifest: string): string[] {
  const { exports = {} } = JSON.parse(readFileSync(join(root, manifest), "utf8"));
  return Object.values<Record<string, string>>(exports)
    .filter((conditions) => Object.keys(conditions).length > 1)
    .flatMap((conditions) => conditions["@call-transfer/source"] ?? [])
    .map((source) => join(root, dirname(manifest), source));
}

describe("doc comments", () => {
  it("stand at every exported name of every package, and at its members", () => {
    const entries = globSync("packages/*/package.json", { cwd: root }).sort().flatMap(entriesOf);
    expect(entries.length).toBeGreaterThan(10);
    expect(undocumentedIn(entries, options, root)).toEqual([]);
  });
});

/** What the check finds in a module, without the place. */
function foundIn(text: string): string[] {
  const folder = ts.sys.realpath?.(mkdtempSync(join(tmpdir(), "undocumented-"))) ?? "";
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "entry.ts"), text);
  writeFileSync(join(folder, "other.ts"), "export interface Other { member: 1 }");
  const found = undocumentedIn([join(folder, "entry.ts")], { ...options, types: [], noLib: true }, `${folder}/`);
  return found.map((line) => line.replace(/^\S+ /, ""));
}

describe("the check", () => {
  it.each([
    ["a function", "export function found() {}", ["found"]],
    ["a function with an empty comment", "/** */ export function found() {}", ["found"]],
    ["a constant", "// Not a doc comment\nexport const found = 1;", ["found"]],
    [
      "a member of an interface",
      "/** Shown. */ export interface Shape {\n found: 1;\n /** Shown. */ other: 2 }",
      ["Shape.found"],
    ],
    [
      "a method of a class",
      "/** Shown. */ export class Thing { found() {} #hidden = 1; private own = 2; }",
      ["Thing.found"],
    ],
    ["a static member", "/** Shown. */ export class Thing { static found = 1; }", ["Thing.found"]],
    ["an option in a signature", "/** Shown. */ export function open(options: {\n found: 1;\n}) {}", ["open.found"]],
    ["an option in an alias", "/** Shown. */ export type Options = string | {\n found: 1;\n};", ["Options.found"]],
    [
      "a field of an object",
      "/** Shown. */ export const table = {\n found: 1,\n /** Shown. */ other: 2 } as const;",
      ["table.found"],
    ],
    ["what another module exports", 'export type { Other } from "./other.ts";', ["Other", "Other.member"]],
    ["a name without an export of its own", "interface Found {}\nexport type { Found as found };", ["found"]],
  ])("finds %s", (_, text, names) => expect(foundIn(text)).toEqual(names));

  it.each([
    [
      "inherited comments",
      "/** A. */ export interface A {\n /** B. */ b(): void }\n/** C. */ export class C implements A { b() {} }",
    ],
    [
      "one comment for several signatures",
      "/** Shown. */ export function a(b: 1): 1;\nexport function a(b: 2): 2;\nexport function a(b: 1 | 2) { return b; }",
    ],
    ["names that stay in the module", "interface Hidden { member: 1 }"],
    ["names marked as internal", "/** @internal */ export interface Hidden { member: 1 }"],
    ["a literal on one line, which its name describes", "/** At x and y. */ export type Point = { x: 1; y: 2 };"],
  ])("accepts %s", (_, text) => expect(foundIn(text)).toEqual([]));
});
