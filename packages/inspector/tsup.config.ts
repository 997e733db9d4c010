import { defineConfig } from "tsup";
import { licences } from "../../build/licences.ts";
import { shared } from "../../build/options.ts";
import { stylesAsText } from "./styles-as-text.ts";

/** The inspector for pages of apps: its styles are texts, and it loads the reference on demand, as another file. */
export default defineConfig({
  ...shared,
  entry: { inspector: "src/mount.ts" },
  format: ["esm"],
  platform: "browser",
  // The first browsers with light-dark(), like those of the page.
  target: ["chrome123", "edge123", "firefox120", "safari17.5"],
  minify: true,
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
});
