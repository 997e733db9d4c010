import { defineConfig } from "vitest/config";

/** A busy machine starts a server slowly. */
const longest = { testTimeout: 120_000, hookTimeout: 120_000 };

export default defineConfig({ test: { include: ["**/*.vitest.ts", "**/*.test.ts"], maxWorkers: 2, ...longest } });
