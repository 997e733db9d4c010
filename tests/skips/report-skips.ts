// Prints each skipped test of a run with its reason, and fails the run if skips.txt allows none.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { reasonFor } from "./skips.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A line for each file with skipped tests, and those that nothing allows. */
export function skipLines(
  skipped: ReadonlyMap<string, number>,
  reasons = reasonFor,
): { lines: string[]; problems: string[] } {
  const [lines, problems]: [string[], string[]] = [[], []];
  for (const [path, count] of skipped) {
    const why = reasons(path);
    if (why !== undefined) lines.push(`Skipped ${count} tests of ${path}: ${why}.`);
    else
      problems.push(
        `${path} skipped ${count} tests that must run here. Run them, or allow it in tests/skips/skips.txt.`,
      );
  }
  return { lines, problems };
}

/** Counts the tests that were not run: because of a condition, or because another one has `.only`, which must not stay. */
function skippedIn(modules: readonly TestModule[]): Map<string, number> {
  const skipped = new Map<string, number>();
  for (const module of modules)
    for (const test of module.children.allTests("skipped")) {
      const path = relative(root, test.module.moduleId).replaceAll("\\", "/");
      skipped.set(path, (skipped.get(path) ?? 0) + 1);
    }
  return skipped;
}

class SkipReporter implements Reporter {
  #isPartial = false;

  onInit(vitest: Vitest): void {
    this.#isPartial = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isPartial) return;
    const { lines, problems } = skipLines(skippedIn(modules));
    for (const line of lines) console.log(line);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
  }
}

/** Adds the reporter once, although each project of the configuration asks for it. */
export function addSkipReporter(reporters: unknown[]): void {
  if (!reporters.some((reporter) => reporter instanceof SkipReporter)) reporters.push(new SkipReporter());
}
