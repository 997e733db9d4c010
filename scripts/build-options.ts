// What the builds of all packages share.
import type { Options } from "tsup";

export const shared = {
  target: "es2022",
  dts: true,
  clean: true,
  sourcemap: true,
  tsconfig: "../../tsconfig.base.json",
  // The sources are published beside the maps.
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
  plugins: [
    {
      name: "sources-of-dependencies",
      // What was taken in of a dependency stands where an installed package has its neighbours, not where this workspace has it.
      renderChunk(_code, chunk) {
        if (typeof chunk.map === "string") chunk.map = chunk.map.replaceAll('"../../../node_modules/', '"../../../');
        return undefined;
      },
    },
  ],
} satisfies Options;
