// Takes styles into a script, for a build by tsup.
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Makes a style that is imported as `style.css?inline` a text, with the styles that it imports. Vite does the same. */
export const stylesAsText: Plugin = {
  name: "styles-as-text",
  setup({ onResolve, onLoad, initialOptions: { target } }) {
    const namespace = "style-as-text";
    onResolve({ filter: /[.]css[?]inline$/ }, ({ path, importer }) => ({
      // The path keeps its end: tsup would load a path that ends in .css itself. It is relative, because source maps show it
      // and each clone has another absolute one.
      path: relative(process.cwd(), join(dirname(importer), path)),
      namespace,
    }));
    onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      const result = await build({
        entryPoints: [path.replace(/[?]inline$/, "")],
        bundle: true,
        minify: true,
        write: false,
        ...(target !== undefined && { target }),
      });
      return { contents: result.outputFiles[0]?.text ?? "", loader: "text" };
    });
  },
};
