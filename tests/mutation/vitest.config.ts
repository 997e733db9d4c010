// The tests that StrykerJS runs on each mutant: the unit tests of the mutated packages and the contract suite.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../../", import.meta.url));
const source = "@call-transfer/source";

/** Aliases to the packages in this folder. Without them, node_modules would resolve to the folder without mutants. */
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
  // Test files share their modules, since loading them again would take most of the time.
  test: {
    isolate: false,
    testTimeout: 300_000,
    include: ["packages/{sdk,backend}/tests/**/*.test.ts", "tests/mutation/contract-suite.ts"],
  },
});
