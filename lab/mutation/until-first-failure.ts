// Runs no more files after a test has failed. With `bail`, Vitest still imports them, which takes longer than their tests.
import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What StrykerJS records in the first run: the mutants that each test reaches. */
    mutantCoverage?: { readonly static: object; readonly perTest: object };
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest takes the default export.
export default class UntilFirstFailure extends TestRunner {
  #hasFailed = false;

  override importFile(path: string, source: "collect" | "setup"): unknown {
    return this.#hasFailed ? undefined : super.importFile(path, source);
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    this.#hasFailed ||= test.result?.state === "fail";
  }

  /** Each file reports its own coverage. Files share a thread, so each would repeat all before it, until memory runs out. */
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    const { mutantCoverage: coverage } = suite.meta;
    if (coverage) {
      suite.meta.mutantCoverage = { ...coverage };
      Object.assign(coverage, { static: {}, perTest: {} });
    }
    await super.onAfterRunSuite(suite);
  }
}
