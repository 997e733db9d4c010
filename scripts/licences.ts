// Collects the licences of the packages that a build takes in.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** The file of a published package with the licences of the packages that its code contains. */
export const licencesFile = "dist/THIRD-PARTY-LICENSES.txt";

const packageIn = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** Writes the licences of all packages that the build takes in. Each package is named with its version. */
export const licences: Plugin = {
  name: "licences",
  setup({ initialOptions, onEnd }) {
    initialOptions.metafile = true;
    onEnd(({ metafile }) => {
      const outputs = Object.values(metafile?.outputs ?? {});
      const contained = outputs.flatMap(({ inputs }) => Object.keys(inputs));
      const folders = new Set(contained.flatMap((path) => packageIn.exec(path)?.[1] ?? []));
      if (folders.size === 0) return;
      const notices = [...folders].sort().map(noticeOf);
      mkdirSync(dirname(licencesFile), { recursive: true });
      writeFileSync(licencesFile, `This package contains code of the following packages.\n\n${notices.join("\n")}`);
    });
  },
};

function noticeOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file. Do not take it into a package.`);
  return `## ${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
