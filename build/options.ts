// Build options that all packages share.
import { readFileSync } from "node:fs";
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

/** Puts the sources of these packages into the maps: customers do not install them, so that a path would lead nowhere. */
export const sourcesOfModules: NonNullable<Options["plugins"]>[number] = {
  name: "sources-of-modules",
  renderChunk(_code, chunk) {
    if (typeof chunk.map !== "string") return undefined;
    const map: { sources: string[]; sourcesContent?: (string | null)[] } = JSON.parse(chunk.map);
    map.sourcesContent = map.sources.map((source) => {
      const [path] = /node_modules\/yaml\/.*/.exec(source) ?? [];
      return path === undefined ? null : readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
    });
    chunk.map = JSON.stringify(map);
    return undefined;
  },
};
