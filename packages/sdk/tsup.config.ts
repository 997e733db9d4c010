import { defineConfig, type Options } from "tsup";

const shared: Options = {
  entry: ["src/index.ts", "src/webhooks.ts"],
  target: "es2022",
  dts: true,
  sourcemap: true,
  // The sources are published beside the maps.
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
  tsconfig: "../../tsconfig.base.json",
};

export default defineConfig([
  { ...shared, format: "esm", clean: ["!**/*.cjs*", "!**/*.d.cts*"] },
  // openapi-fetch's CommonJS form keeps its function under `default`, which Node and bundlers unwrap differently: take it in.
  { ...shared, format: "cjs", clean: ["!**/*.js*", "!**/*.d.ts*"], noExternal: ["openapi-fetch"] },
]);
