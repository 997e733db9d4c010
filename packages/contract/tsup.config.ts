import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/cli.ts"],
  format: ["esm"],
  target: "es2022",
  dts: true,
  clean: true,
  sourcemap: true,
  // The document is taken in, since importing JSON still warns on Node 20.
  noExternal: [/openapi\.json$/],
  tsconfig: "../../tsconfig.base.json",
});
