// Runs no more files after a test has failed. With `bail`, Vitest still imports them, which takes longer than their tests.
import { type RunnerTestCase, TestRunner } from "vitest";

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
}
