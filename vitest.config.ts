import { defineConfig } from "vitest/config";

const conditions = ["@call-transfer/source"];

export default defineConfig({
  resolve: { conditions: [...conditions, "import", "module", "default"] },
  ssr: {
    resolve: { conditions: [...conditions, "node", "import", "module", "default"], externalConditions: conditions },
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts"],
    restoreMocks: true,
  },
});
