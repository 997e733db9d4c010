import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "vite";
import { addLicences } from "../../build/licences.ts";
import { runtimeName } from "./messages.ts";
import { programs } from "./programs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The file with the licenses of the packages whose code a build of the site takes in. */
export const siteLicences = fileURLToPath(new URL("../../.cache/site-licences.txt", import.meta.url));

/**
 * Provides `virtual:playground-programs`, the texts of the programs by their paths, and `virtual:playground-runtime`, the
 * script of the worker as a text. A worker of an opaque origin cannot load files of the site, so it is one script.
 */
export function playground(): Plugin {
  const texts = {
    "virtual:playground-programs": async () => {
      const paths = programs.map(({ path }) => path);
      return {
        name: "texts",
        value: Object.fromEntries(paths.map((path) => [path, readFileSync(root + path, "utf8")])),
        paths,
      };
    },
    "virtual:playground-runtime": async () => {
      const { outputFiles, metafile } = await build({
        absWorkingDir: root,
        entryPoints: ["site/playground/worker/worker.ts"],
        bundle: true,
        minify: true,
        // Printed errors and objects show the names of their classes.
        keepNames: true,
        write: false,
        metafile: true,
        format: "iife",
        target: "es2023",
        conditions: ["@call-transfer/source"],
      });
      const paths = Object.keys(metafile.inputs);
      const files = paths.map((path) => resolve(root, path));
      addLicences(siteLicences, files);
      return {
        name: "text",
        value: `${outputFiles[0]?.text}//# sourceURL=${runtimeName}`,
        paths,
      };
    },
  };
  return {
    name: "playground",
    resolveId: (id) => (id in texts ? `\0${id}` : undefined),
    async load(id) {
      const text = texts[id.slice(1) as keyof typeof texts];
      if (text === undefined) return undefined;
      const { name, value, paths } = await text();
      for (const path of paths) this.addWatchFile(resolve(root, path));
      return `export const ${name} = ${JSON.stringify(value)}`;
    },
  };
}
