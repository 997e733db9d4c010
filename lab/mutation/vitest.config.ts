// The tests that StrykerJS runs on each mutant: the unit tests of the mutated packages and the contract suite.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { keptWorkers } from "./kept-worker.ts";

// In another zone than UTC, tests notice a date that is read in local time.
process.env.TZ = "America/New_York";

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

/** The files that take longest, shortest first. */
const slowFiles = [
  "msw.test.ts",
  "contract-suite.ts",
  "properties.test.ts",
  "control.test.ts",
  "odd-responses.test.ts",
  "pagination.test.ts",
];

/** A mutant ends with the first test that fails, so the slow files come last. The SDK's load faster than the backend's. */
class QuickFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => slowFiles.findIndex((name) => moduleId.endsWith(name));
    return files.toSorted((a, b) => rank(a) - rank(b) || b.moduleId.localeCompare(a.moduleId));
  }
}

export default defineConfig({
  root,
  resolve: { alias: aliases },
  plugins: [keptWorkers],
  // Test files share their modules, since loading them again would take most of the time.
  test: {
    isolate: false,
    // For the first run, which records coverage. Those of mutants have less time (kept-worker.ts).
    testTimeout: 20_000,
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    sequence: { sequencer: QuickFilesFirst },
    runner: "lab/mutation/until-first-failure.ts",
    setupFiles: ["lab/mutation/no-mutant-on-import.ts"],
    include: [
      "packages/{sdk,backend}/tests/**/*.test.ts",
      "tests/end-to-end/server-time.test.ts",
      "lab/mutation/contract-suite.ts",
    ],
    // It is about types, and shows those of the mutated sources.
    exclude: ["packages/sdk/tests/hover.test.ts", "**/*.{browser,nightly}.test.ts"],
  },
});
