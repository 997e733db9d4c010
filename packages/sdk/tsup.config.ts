import { defineConfig } from "tsup";
import { shared } from "../../scripts/build-options.ts";

// Its CommonJS form keeps its function under `default`, which Node and bundlers unwrap differently: take it in there.
const takenIn = "openapi-fetch";

export default defineConfig({
  ...shared,
  entry: ["src/index.ts", "src/otel.ts", "src/query.ts", "src/raw.ts", "src/webhooks.ts"],
  format: ["esm", "cjs"],
  noExternal: [takenIn],
  esbuildOptions(options, { format }) {
    shared.esbuildOptions(options);
    if (format === "esm") options.external = [...(options.external ?? []), takenIn];
  },
});
