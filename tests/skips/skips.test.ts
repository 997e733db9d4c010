import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { skipLines } from "./report-skips.ts";
import { conditions, listedSkips, reasonFor } from "./skips.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const conditional = /\.(?:skipIf|runIf)\(|\b(?:it|test|describe)\.(?:skip|todo)\b/g;

describe("the list of tests that may be skipped", () => {
  it("has as many as the files have", () => {
    const files = execFileSync("git", ["ls-files", "*.test.ts"], { cwd: root, encoding: "utf8" }).trim().split("\n");
    const found = files.flatMap((path) => {
      const count = readFileSync(join(root, path), "utf8").match(conditional)?.length ?? 0;
      return count === 0 || path.startsWith("tests/skips/") ? [] : [[path, count] as const];
    });
    const listed = new Map<string, number>();
    for (const { path, count } of listedSkips()) listed.set(path, (listed.get(path) ?? 0) + count);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed));
  });

  it("uses each condition", () => {
    expect(new Set(listedSkips().map(({ condition }) => condition))).toEqual(new Set(Object.keys(conditions)));
  });

  it("allows a skip only if its condition holds", () => {
    const condition = process.platform === "win32" ? "Windows" : "not Linux";
    const isHere = process.platform !== "linux";
    const listed = [{ path: "a.test.ts", condition, count: 1 }];
    expect(reasonFor("a.test.ts", listed) !== undefined).toBe(isHere);
    expect(reasonFor("b.test.ts", listed)).toBeUndefined();
  });
});

describe("a run", () => {
  it("prints the reason of each skip, and reports one that nothing allows", () => {
    const skipped = new Map([
      ["a.test.ts", 2],
      ["b.test.ts", 1],
    ]);
    expect(skipLines(skipped, (path) => (path === "a.test.ts" ? "there is no browser" : undefined))).toEqual({
      lines: ["Skipped 2 tests of a.test.ts: there is no browser."],
      problems: ["b.test.ts skipped 1 tests that must run here. Run them, or allow it in tests/skips/skips.txt."],
    });
  });
});
