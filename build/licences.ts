// Collects the licences of the packages that a build takes in.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Options } from "tsup";
import type { Plugin as VitePlugin } from "vite";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** The file of a published package with the licences of the packages that its code contains. */
export const licencesFile = "dist/THIRD-PARTY-LICENSES.txt";

const heading = "This contains code of the following packages.";
const packageIn = /^(.*node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** Writes the licences of all packages that the build takes in. Each package is named with its version. */
export const licences: Plugin = {
  name: "licences",
  setup({ initialOptions, onEnd }) {
    initialOptions.metafile = true;
    onEnd(({ metafile }) => {
      const outputs = Object.values(metafile?.outputs ?? {});
      addLicences(
        licencesFile,
        outputs.flatMap(({ inputs }) => Object.keys(inputs)),
      );
    });
  },
};

/** The same for a build by Vite. `file` is the package's file of licences. */
export function viteLicences(file: string): VitePlugin {
  return {
    name: "licences",
    apply: "build",
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === "chunk");
      addLicences(
        file,
        chunks.flatMap((chunk) => ("modules" in chunk ? Object.keys(chunk.modules) : [])),
      );
    },
  };
}

/** Adds the licences of the packages that contain the given files, which may be relative to the current folder. A package may have several builds, one after another. */
export function addLicences(file: string, files: readonly string[]): void {
  const folders = new Set(files.flatMap((path) => packageIn.exec(path)?.[1] ?? []));
  const before = existsSync(file)
    ? readFileSync(file, "utf8")
        .split(/^(?=## )/m)
        .slice(1)
    : [];
  const notices = new Set([...before.map((notice) => `${notice.trim()}\n`), ...[...folders].map(noticeOf)]);
  if (notices.size === 0) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${heading}\n\n${[...notices].sort().join("\n")}`);
}

function noticeOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file. Do not take it into a package.`);
  return `## ${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
