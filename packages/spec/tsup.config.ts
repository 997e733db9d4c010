import { defineConfig } from "tsup";
import { shared } from "../../build/options.ts";

export default defineConfig({
  ...shared,
  entry: ["src/index.ts", "src/schemas.ts", "src/validate.ts"],
  format: ["esm", "cjs"],
});
