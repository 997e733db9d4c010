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

it("the check finds names and members without a comment, also in signatures, and accepts what inherits one", () => {
  expect(
    foundIn(`export function one() {}
/** Shown. */ export interface Shape {
 two: 1;
 /** Shown. */ other: 2 }
/** Shown. */ export class Thing { static three() {} #hidden = 1; private own = 2; }
/** Shown. */ export function open(options: {
 four: 1;
}) {}
/** Shown. */ export const table = {
 five: 1 } as const;
export type { Other } from "./other.ts";
/** Shown. */ export class Same implements Shape { other = 2 as const }
/** @internal */ export interface Hidden { member: 1 }
/** At x and y. */ export type Point = { x: 1; y: 2 };`),
  ).toEqual(["one", "table.five", "Shape.two", "Thing.three", "open.four", "Other", "Other.member"]);
});
