import { defineConfig } from "tsup";
import { licences } from "../../build/licences.ts";
import { shared } from "../../build/options.ts";
import { stylesAsText } from "./styles-as-text.ts";

/** The inspector for pages of apps: its styles are texts. */
export default defineConfig({
  ...shared,
  entry: { inspector: "src/mount.ts" },
  format: ["esm"],
  platform: "browser",
  // The first browsers with light-dark() and popovers, like those of the page.
  target: ["chrome123", "edge123", "firefox125", "safari17.5"],
  minify: true,
  esbuildPlugins: [licences, stylesAsText],
  esbuildOptions(options) {
    shared.esbuildOptions(options);
    // Apps do not install what it contains, so that its maps hold the sources.
    options.sourcesContent = true;
    options.conditions = ["@call-transfer/source"];
    options.jsx = "automatic";
    options.jsxImportSource = "preact";
  },
});
