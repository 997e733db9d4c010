// What StrykerJS runs on each mutant: the unit tests of the mutated packages, and the contract suite.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../../", import.meta.url));
const source = "@call-transfer/source";

/** The packages by name, in this folder tree: node_modules links to the tree that has no mutants in it. */
const aliases = ["spec", "sdk", "backend", "contract"].flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(`${root}packages/${name}/package.json`, "utf8"));
  return Object.entries<string | Record<string, string>>(exports).map(([entry, target]) => ({
    find: new RegExp(`^@call-transfer/${name}${entry.slice(1)}$`),
    replacement: `${root}packages/${name}/${typeof target === "string" ? target : target[source]}`,
  }));
});

export default defineConfig({
  root,
  resolve: { alias: aliases },
  // Each run has one worker: its files share their modules, or loading them would take most of the time.
  test: {
    isolate: false,
    testTimeout: 300_000,
    include: ["packages/{sdk,backend}/tests/**/*.test.ts", "tests/mutation/contract-suite.ts"],
  },
});
