import { rmSync } from "node:fs";
import { defineConfig, type Options } from "tsup";
import { shared } from "../../scripts/build-options.ts";
import { licences } from "../../scripts/licences.ts";
import { stylesAsText } from "../../scripts/styles-as-text.ts";

// Here and not by `clean`: two builds write into the folder, and neither may remove what the other wrote.
rmSync("dist", { recursive: true, force: true });

const library: Options = {
  ...shared,
  clean: false,
  entry: ["src/index.ts", "src/attack.ts", "src/vitest.ts", "src/playwright.ts", "src/worker.ts"],
  format: ["esm"],
  // The document is taken in, since importing JSON still warns on Node 20.
  noExternal: ["@call-transfer/spec/openapi.json"],
};

/** The command contains what it needs, because a few files start faster than many. See docs/decisions/0028. */
const command: Options = {
  ...shared,
  clean: false,
  dts: false,
  entry: ["src/cli.ts"],
  format: ["esm"],
  noExternal: [/^@call-transfer\//, /^@noble\/hashes\//, /^hono\//, "openapi-fetch", /^zod$/],
  esbuildPlugins: [licences],
  esbuildOptions(options) {
    shared.esbuildOptions(options);
    // From the sources of our other packages, to which the maps then lead.
    options.conditions = ["@call-transfer/source"];
    options.chunkNames = "cli/[name]-[hash]";
  },
};

/** The inspector for pages of apps: its styles are texts, and it loads the reference on demand, as another file. */
const inspector: Options = {
  ...shared,
  clean: false,
  entry: ["src/inspector.ts"],
  format: ["esm"],
  platform: "browser",
  // The first browsers with light-dark(), like those of the page.
  target: ["chrome123", "edge123", "firefox120", "safari17.5"],
  minify: true,
  noExternal: [/^preact/, /^@preact\//, "openapi-fetch", /^@call-transfer\/spec/],
  esbuildPlugins: [licences, stylesAsText],
  esbuildOptions(options) {
    shared.esbuildOptions(options);
    // Apps do not install what it contains, so that its maps hold the sources.
    options.sourcesContent = true;
    options.conditions = ["@call-transfer/source"];
    options.jsx = "automatic";
    options.jsxImportSource = "preact";
    options.chunkNames = "inspector-mount/[name]-[hash]";
  },
};

export default defineConfig([library, command, inspector]);
