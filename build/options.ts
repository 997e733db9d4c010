// Build options that all packages share.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Options } from "tsup";

const fileHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Modules that the command's bundle takes from other files: of yaml the ES modules, because what Node would load is CommonJS that
 * requires modules of Node by name, and for commander less than Node's modules.
 */
export const asModules = {
  yaml: fileHere("../node_modules/yaml/browser/index.js"),
  "node:child_process": fileHere("../packages/mock-server/src/cli/commander-builtins.ts"),
  "node:process": fileHere("../packages/mock-server/src/cli/commander-builtins.ts"),
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
      const [path] = /node_modules\/(?:yaml|commander)\/.*/.exec(source) ?? [];
      return path === undefined ? null : readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
    });
    chunk.map = JSON.stringify(map);
    return undefined;
  },
};
