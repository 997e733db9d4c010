import { defineConfig } from "tsup";
import { shared } from "../../scripts/build-options.ts";

export default defineConfig({
  ...shared,
  entry: ["src/index.ts", "src/attack.ts", "src/cli.ts", "src/vitest.ts", "src/playwright.ts"],
  format: ["esm"],
});
