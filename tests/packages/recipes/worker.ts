// Runs the Worker in Cloudflare's runtime, workerd, which is a process of its own.
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import type { Running } from "./processes.ts";

interface Miniflare {
  readonly ready: Promise<URL>;
  dispose(): Promise<void>;
}

/** Bundles the Worker of a folder as Cloudflare's tools do, and starts it on a free port. */
export async function startWorker(folder: string, bindings: Readonly<Record<string, string>>): Promise<Running> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "worker.ts")],
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker"],
    write: false,
  });
  const require = createRequire(join(folder, "package.json"));
  const { Miniflare } = require("miniflare") as { Miniflare: new (options: object) => Miniflare };
  const printed: string[] = [];
  const collect = (stream: Readable) => stream.setEncoding("utf8").on("data", (text) => printed.push(text));
  const miniflare = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text,
    bindings,
    compatibilityDate: "2026-07-01",
    host: "127.0.0.1",
    port: 0,
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => [stdout, stderr].forEach(collect),
  });
  const { origin } = await miniflare.ready;
  return { url: origin, output: () => printed.join(""), stop: () => miniflare.dispose() };
}
