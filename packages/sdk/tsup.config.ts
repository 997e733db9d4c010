import { defineConfig, type Options } from "tsup";
import { licences } from "../../build/licences.ts";
import { shared } from "../../build/options.ts";

// Its CommonJS form keeps its function under `default`, which Node and bundlers unwrap differently: take it in there.
const takenIn = "openapi-fetch";

/** The query entry imports the operations from the main entry, so that neither format contains them twice. */
const operationsOfMainEntry = {
  name: "operations-of-main-entry",
  setup({ initialOptions, onResolve }) {
    onResolve({ filter: /\/resources\/.*\.gen\.ts$/ }, ({ importer }) => {
      if (!/[/\\]src[/\\]query[/\\]/.test(importer)) return undefined;
      return { path: initialOptions.format === "esm" ? "./index.js" : "./index.cjs", external: true };
    });
  },
} satisfies NonNullable<Options["esbuildPlugins"]>[number];

export default defineConfig({
  ...shared,
  entry: [
    ...["src/index.ts", "src/otel.ts", "src/query.ts", "src/raw.ts", "src/webhooks.ts"],
    ...["postgres", "redis"].map((name) => `src/webhooks/${name}.ts`),
  ],
  format: ["esm", "cjs"],
  // Each entry is one file: every further file would make import() slower.
  splitting: false,
  esbuildPlugins: [operationsOfMainEntry, licences],
  noExternal: [takenIn],
  esbuildOptions(options, { format }) {
    shared.esbuildOptions(options);
    if (format === "esm") options.external = [...(options.external ?? []), takenIn];
  },
});
