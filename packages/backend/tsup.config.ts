import { defineConfig } from "tsup";
import { shared } from "../../build/options.ts";

export default defineConfig({
  ...shared,
  entry: ["src/index.ts", "src/msw.ts", "src/unstable.ts"],
  format: ["esm"],
});
