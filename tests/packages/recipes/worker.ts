// Runs Workers in Cloudflare's runtime, workerd, which is a process of its own.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { runInThisContext } from "node:vm";
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

/** What the settings of the recipes have. */
interface WranglerConfig {
  readonly main: string;
  readonly compatibility_date: string;
  readonly vars?: Readonly<Record<string, string>>;
  readonly durable_objects?: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  readonly migrations?: readonly { readonly new_sqlite_classes: readonly string[] }[];
  readonly secrets_store_secrets?: readonly {
    readonly binding: string;
    readonly store_id: string;
    readonly secret_name: string;
  }[];
}

/** JSON with comments is an expression. Its file names the place of a syntax error. */
function settingsIn(folder: string): WranglerConfig {
  const filename = join(folder, "wrangler.jsonc");
  return runInThisContext(`(${readFileSync(filename, "utf8")})`, { filename });
}

/** Bindings in the form that Miniflare takes. Several Workers share the Durable Objects of the first. */
function bindingsOf(settings: WranglerConfig, scriptName: string) {
  const { vars = {}, durable_objects: objects, migrations = [], secrets_store_secrets: secrets = [] } = settings;
  const sqlite = migrations.flatMap(({ new_sqlite_classes: classes }) => classes);
  return {
    bindings: vars,
    durableObjects: Object.fromEntries(
      (objects?.bindings ?? []).map(({ name, class_name: className }) => [
        name,
        { className, scriptName, useSQLite: sqlite.includes(className) },
      ]),
    ),
    secretsStoreSecrets: Object.fromEntries(secrets.map(({ binding, ...secret }) => [binding, secret])),
  };
}

/** Bundles the Worker of a folder as Cloudflare's tools do, and starts it with its settings under each of the names. */
export async function openWorkers(folder: string, workers: readonly WorkerOptions[]) {
  const settings = settingsIn(folder);
  const { outputFiles } = await build({
    entryPoints: [join(folder, settings.main)],
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
    compatibilityDate: settings.compatibility_date,
    ...bindingsOf(settings, workers[0]?.name ?? ""),
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

/** Starts the Worker that places calls, with variables besides those of its settings. */
export async function startWorker(folder: string, variables: Readonly<Record<string, string>>): Promise<Running> {
  const { vars } = settingsIn(folder);
  const { urls, output, stop } = await openWorkers(folder, [{ name: "calls", bindings: { ...vars, ...variables } }]);
  return { url: urls[0] ?? "", output, stop };
}
