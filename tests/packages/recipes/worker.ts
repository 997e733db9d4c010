// Runs Workers in Cloudflare's runtime, workerd, which is a process of its own.
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { tools } from "../../../scripts/packed.ts";
import type { Running } from "./processes.ts";

/** A secret of the Secrets Store, to change it. */
interface SecretAdmin {
  create(value: string): Promise<string>;
  update(value: string, id: string): Promise<string>;
}

interface Miniflare {
  readonly ready: Promise<URL>;
  unsafeGetDirectURL(worker: string): Promise<URL>;
  getSecretsStoreSecretAPI(binding: string, worker: string): Promise<() => SecretAdmin>;
  dispose(): Promise<void>;
}

/** A Worker's options for Miniflare, such as its bindings. Each has an address of its own. */
export interface WorkerOptions {
  readonly name: string;
  readonly [option: string]: unknown;
}

/** Bundles the Worker of a file as Cloudflare's tools do, and starts it under each of the names. */
export async function openWorkers(folder: string, file: string, workers: readonly WorkerOptions[]) {
  const { outputFiles } = await build({
    entryPoints: [join(folder, file)],
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker"],
    write: false,
  });
  const require = createRequire(join(tools, "package.json"));
  const { Miniflare } = require("miniflare") as { Miniflare: new (options: object) => Miniflare };
  const printed: string[] = [];
  const collect = (stream: Readable) => stream.setEncoding("utf8").on("data", (text) => printed.push(text));
  const shared = {
    modules: true,
    script: outputFiles[0]?.text,
    compatibilityDate: "2026-07-01",
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => [stdout, stderr].forEach(collect),
    workers: workers.map((own) => ({ ...shared, ...own })),
  });
  await miniflare.ready;
  const addresses = await Promise.all(workers.map(({ name }) => miniflare.unsafeGetDirectURL(name)));
  return {
    urls: addresses.map(({ origin }) => origin),
    output: () => printed.join(""),
    stop: () => miniflare.dispose(),
    miniflare,
  };
}

/** Starts the Worker that places calls. */
export async function startWorker(folder: string, bindings: Readonly<Record<string, string>>): Promise<Running> {
  const { urls, output, stop } = await openWorkers(folder, "worker.ts", [{ name: "calls", bindings }]);
  return { url: urls[0] ?? "", output, stop };
}
