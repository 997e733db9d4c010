import type { Plugin } from "vite";

/**
 * Begins a line with each part of a page that never changes. VitePress finds these parts by lines, in order to leave them out of
 * the script that takes a page over, and would take two in a line for one. That script would not parse.
 */
export const staticPartsOnLines = (): Plugin => ({
  name: "static-parts-on-lines",
  renderChunk: {
    order: "pre",
    handler: (code, { facadeModuleId }) =>
      facadeModuleId?.endsWith(".md")
        ? { code: code.replace(/(?<!return )\bcreateStaticVNode\(/g, "\n$&"), map: null }
        : undefined,
  },
});
