import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
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

it("doc comments stand at every exported name of every package, and at its members", () => {
  const entries = globSync("packages/*/package.json", { cwd: root }).sort().flatMap(entriesOf);
  expect(entries.length).toBeGreaterThan(10);
  expect(undocumentedIn(entries, options, root)).toEqual([]);
});
