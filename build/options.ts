// Build options that all packages share.
import { fileURLToPath } from "node:url";
import type { Options } from "tsup";

/** Packages of which a bundle takes the ES modules: what Node would load is CommonJS that requires modules of Node by name. */
export const asModules = {
  yaml: fileURLToPath(new URL("../node_modules/yaml/browser/index.js", import.meta.url)),
};

export const shared = {
  target: "es2022",
  dts: true,
  clean: true,
  sourcemap: true,
  tsconfig: "../../tsconfig.base.json",
  // The packages publish their sources, so the maps need no copy.
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
  plugins: [
    {
      name: "sources-of-dependencies",
      // Maps must name bundled dependencies by their path beside an installed package, not by their path in this workspace.
      renderChunk(_code, chunk) {
        if (typeof chunk.map === "string") chunk.map = chunk.map.replace(/"((?:\.\.\/)+)node_modules\//g, '"$1');
        return undefined;
      },
    },
  ],
} satisfies Options;
