import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { isLong } from "./scripts/long.ts";

const conditions = ["@call-transfer/source"];

export default defineConfig({
  resolve: { conditions: [...conditions, "import", "module", "default"] },
  ssr: {
    resolve: { conditions: [...conditions, "node", "import", "default"], externalConditions: conditions },
  },
  test: {
    include: [
      "packages/*/tests/**/*.test.ts",
      "packages/contract/targets/**/*.test.ts",
      "{lab,scripts,site,tests}/**/*.test.ts",
    ],
    // What takes long runs each night.
    exclude: ["**/node_modules/**", ...(isLong ? [] : ["**/*.long.test.ts"])],
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    // Files share a worker and its modules: loading them again for each file took half of the time.
    isolate: false,
    maxWorkers: availableParallelism(),
    // Clients warn of each retry by default.
    onConsoleLog: (line) => !line.startsWith("call-transfer: "),
    // Programs that tests start compile their sources once.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)) },
    // A limit for what hangs: on a busy machine what merely takes long takes many times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
  },
});
