import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { unnameable } from "./nameable.ts";

/** A project with one package, whose entry has these declarations. */
function projectWith(declarations: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nameable-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const home = join(folder, "node_modules/@call-transfer/a");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, "package.json"),
    '{ "name": "@call-transfer/a", "type": "module", "types": "./index.d.ts" }',
  );
  writeFileSync(join(home, "index.d.ts"), declarations);
  return folder;
}

it.each([
  ["what a function returns", "interface Part { a: 1 } declare function open(): Part; export { open };", "open("],
  [
    "what a promise holds",
    "interface Part { a: 1 } declare function open(): Promise<Part>; export { open };",
    ".open(",
  ],
  [
    "what a method of a class returns",
    "interface Part { a: 1 } declare class Box { list(): Part[] } export { Box };",
    ".list(",
  ],
  [
    "what a method of a part of a class returns",
    "interface Part { a: 1 } declare class List { all(): Part } declare class Box { list: List } export { Box, type List };",
    ".list.all(",
  ],
])("finds %s, if its type is not exported", (_, declarations, place) => {
  const [found = "", ...others] = unnameable(projectWith(declarations), ["@call-transfer/a"]);
  expect(found).toContain("@call-transfer/a: export const");
  expect(found).toContain(place);
  expect(found).toContain("'Part'");
  expect(others.every((one) => one.includes("'Part'"))).toBe(true);
});

it("finds nothing where each type is exported", () => {
  const declarations = "interface Part { a: 1 } declare function open(): Promise<Part>; export { open, type Part };";
  expect(unnameable(projectWith(declarations), ["@call-transfer/a"])).toEqual([]);
});

it("says which entry cannot be found", () =>
  expect(() => unnameable(projectWith(""), ["@call-transfer/b"])).toThrow('"@call-transfer/b" cannot be found.'));
