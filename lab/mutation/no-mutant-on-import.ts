// Switches the last mutant off before a test file is imported. Otherwise the file's own code would run with it, since the
// thread is kept. StrykerJS switches the next mutant on before the file's first test.
import { inject } from "vitest";

declare module "vitest" {
  /** What StrykerJS tells the tests. */
  interface ProvidedContext {
    mode: "dry-run" | "mutant" | undefined;
    mutantActivation: "static" | "runtime" | undefined;
  }
}

const { __stryker__: state } = globalThis as { __stryker__?: { activeMutant?: string | undefined } };
if (state !== undefined && inject("mutantActivation") !== "static") state.activeMutant = undefined;
