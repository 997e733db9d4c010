import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { licencesFile, viteLicences } from "../../build/licences.ts";

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const licences = viteLicences(folder(licencesFile));

/** Builds the page of the mock server, which copies it. */
export default defineConfig({
  root: folder("src/"),
  // The page finds its files below its own address, under whatever path a proxy shows it.
  base: "./",
  resolve: { conditions: ["@call-transfer/source"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: folder("dist/inspector/"),
    emptyOutDir: true,
    // The first browsers with light-dark() and popovers. An older target would replace it by what the button of the theme cannot switch.
    target: ["chrome123", "edge123", "firefox125", "safari17.5"],
    // Styles and scripts are files: the page's policy (CSP) refuses them in HTML and in data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  plugins: [licences],
  worker: { format: "es", plugins: () => [licences] },
});
