// Bundlers with their defaults for a web page. Rollup and webpack are installed in consumers/.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build as runEsbuild } from "esbuild";
import { build as runVite } from "vite";

/** Bundles an entry and returns the code, minified if that is the default of the bundler. */
type Bundle = (entry: string) => Promise<string>;

const withinMs = 600_000;
const consumers = fileURLToPath(new URL("./consumers/", import.meta.url));

/** Never waits in place: for as long, this process would not see that a server ends its connections. */
async function fromConsumers(bundler: string, entry: string): Promise<string> {
  const options = { cwd: consumers, timeout: withinMs, maxBuffer: 2 ** 26 };
  return (await promisify(execFile)(process.execPath, ["bundle.mjs", bundler, entry], options)).stdout;
}

export const bundlers: Readonly<Record<string, Bundle>> = {
  async esbuild(entry) {
    const options = { bundle: true, minify: true, format: "esm", platform: "browser", write: false } as const;
    const { outputFiles } = await runEsbuild({ ...options, entryPoints: [entry] });
    return outputFiles.map(({ text }) => text).join("");
  },
  async Vite(entry) {
    const options = { write: false, modulePreload: false, rollupOptions: { input: entry } } as const;
    const built = await runVite({ configFile: false, logLevel: "silent", build: options });
    const outputs = [built].flat().flatMap((part) => ("output" in part ? part.output : []));
    return outputs.map((part) => ("code" in part ? part.code : "")).join("");
  },
  Rollup: (entry) => fromConsumers("rollup", entry),
  webpack: (entry) => fromConsumers("webpack", entry),
};
