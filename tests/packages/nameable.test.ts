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

it("finds what methods of parts of a class return, if its type is not exported, and nothing where each is", () => {
  const declarations =
    "interface Part { a: 1 } declare class List { all(): Promise<Part> } declare class Box { list: List }";
  const [found = "", ...others] = unnameable(projectWith(`${declarations} export { Box, type List };`), [
    "@call-transfer/a",
  ]);
  expect(found).toMatch(/^@call-transfer\/a: export const .*\.list\.all\(.*'Part'/);
  expect(others.every((one) => one.includes("'Part'"))).toBe(true);
  expect(
    unnameable(projectWith(`${declarations} export { Box, type List, type Part };`), ["@call-transfer/a"]),
  ).toEqual([]);
});
