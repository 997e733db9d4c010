// Runs the recipes for Workers in Cloudflare's runtime, workerd, which is a process of its own.
import { join } from "node:path";
import type { Readable } from "node:stream";
import { bundleFile, openMiniflare, optionsOf, readConfig } from "../../hosting/workerd.ts";
import type { Running } from "./processes.ts";

/** A Worker's options for Miniflare, such as its bindings. Each has an address of its own. */
export interface WorkerOptions {
  readonly name: string;
  readonly [option: string]: unknown;
}

/** Bundles the Worker of a folder as Cloudflare's tools do, and starts it with its settings under each of the names. */
export async function openWorkers(folder: string, workers: readonly WorkerOptions[]) {
  const config = readConfig(folder);
  const printed: string[] = [];
  const collect = (stream: Readable) => stream.setEncoding("utf8").on("data", (text) => printed.push(text));
  const secrets = (config.secrets_store_secrets ?? []).map(({ binding, ...secret }) => [binding, secret]);
  const shared = {
    ...optionsOf(config, workers[0]?.name),
    script: await bundleFile(join(folder, config.main)),
    bindings: config.vars ?? {},
    secretsStoreSecrets: Object.fromEntries(secrets),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  };
  const miniflare = await openMiniflare({
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => [stdout, stderr].forEach(collect),
    workers: workers.map((own) => ({ ...shared, ...own })),
  });
  const addresses = await Promise.all(workers.map(({ name }) => miniflare.unsafeGetDirectURL(name)));
  return {
    urls: addresses.map(({ origin }) => origin),
    output: () => printed.join(""),
    stop: () => miniflare.dispose(),
    miniflare,
  };
}

/** Starts the Worker that places calls, with variables besides those of its settings. */
export async function startWorker(folder: string, variables: Readonly<Record<string, string>>): Promise<Running> {
  const { vars } = readConfig(folder);
  const { urls, output, stop } = await openWorkers(folder, [{ name: "calls", bindings: { ...vars, ...variables } }]);
  return { url: urls[0] ?? "", output, stop };
}
