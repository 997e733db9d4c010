import { defineConfig } from "tsup";
import { shared } from "../../build/options.ts";

export default defineConfig({
  ...shared,
  entry: ["src/index.ts", "src/cli.ts", "src/webhooks.ts"],
  format: ["esm"],
  // The document is taken in, since importing JSON still warns on Node 20.
  noExternal: [/openapi\.json$/],
});
