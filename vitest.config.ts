import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["@call-transfer/source"];

const tests = ["packages/*/tests/**/*.test.ts", "{lab,scripts,site,tests}/**/*.test.ts"];
/** Tests that need Vite's modules: they import JSX, or load one module twice. */
const withVite = ["packages/inspector/tests/*.test.ts", "packages/sdk/tests/{errors,webhook-signature}.test.ts"];
/** Tests that `npm test` leaves out: those in a browser, those of the release tools, and those of the night. */
const browser = ["**/*.browser.test.ts"];
const nightly = ["**/*.nightly.test.ts"];
const release = ["tests/release/*.test.ts"];
const others = [...browser, ...nightly, ...release];
const never = ["**/{node_modules,.cache}/**"];

/** A part of the tests. Node runs the sources as they stand: Vite's modules prepare the stack of each error, which takes long. */
const part = (name: string, include: string[], exclude: string[], viteModuleRunner = false) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: [...never, ...exclude],
    experimental: { viteModuleRunner },
    setupFiles: ["tests/setup.ts"],
  },
});

export default defineConfig({
  resolve: { conditions: [...conditions, "import", "module", "default"] },
  ssr: {
    resolve: { conditions: [...conditions, "node", "import", "default"], externalConditions: conditions },
  },
  test: {
    projects: [
      part("unit", tests, [...withVite, ...others]),
      part("vite", withVite, others, true),
      part("browser", browser, []),
      part("release", release, nightly),
      part("nightly", nightly, []),
    ],
    // Files share a worker and its modules: loading them again for each file took half of the time.
    isolate: false,
    // One more than processors, because many tests wait.
    maxWorkers: availableParallelism() + 1,
    // Clients warn of each retry by default.
    onConsoleLog: (line) => !line.startsWith("call-transfer: "),
    // Programs that tests start compile their sources once.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)) },
    // A limit for what hangs: on a busy machine what merely takes long takes many times as long.
    expect: { poll: { timeout: 240_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
  },
});
