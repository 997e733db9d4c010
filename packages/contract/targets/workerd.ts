// The hosted mock server in Cloudflare's runtime workerd, as packages/mock-server/hosting/ deploys it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import ts from "typescript";

const repository = new URL("../../../", import.meta.url);
const hosting = new URL("packages/mock-server/hosting/", repository);

/** A running Worker. */
export interface Workerd {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Ends the runtime. What objects store stays in the folder. */
  stop(): Promise<void>;
}

export interface WorkerdOptions {
  /** Keeps what objects store beyond the runtime; by default it is in memory. */
  readonly folder?: string;
  /** Settings and secrets in place of those of wrangler.jsonc. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Another program than the one that is deployed. */
  readonly entry?: URL;
}

/** The control token of the Workers that are started here. */
export const controlToken = "a-control-token-for-tests";

/** The parts of wrangler.jsonc that miniflare takes in another form. */
interface WranglerConfig {
  readonly main: string;
  readonly compatibility_date: string;
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[];
  readonly assets: { readonly directory: string; readonly binding: string; readonly run_worker_first: boolean };
  readonly vars: Readonly<Record<string, unknown>>;
}

function readConfig(): WranglerConfig {
  const path = fileURLToPath(new URL("wrangler.jsonc", hosting));
  const { config, error } = ts.parseConfigFileTextToJson(path, readFileSync(path, "utf8"));
  if (error !== undefined) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(error.messageText, "\n")}`);
  return config as WranglerConfig;
}

/** Bundles the Worker from the sources, as wrangler bundles it from the package. */
async function bundled(entry: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    ...{ bundle: true, format: "esm", target: "es2022", platform: "browser", write: false },
    conditions: ["@call-transfer/source", "workerd", "worker", "browser"],
    absWorkingDir: fileURLToPath(repository),
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

/** What the tests use of miniflare, which only tests/hosting/ installs. */
interface MiniflareModule {
  readonly Miniflare: new (options: object) => { readonly ready: Promise<URL>; dispose(): Promise<void> };
}

async function loadMiniflare(): Promise<MiniflareModule> {
  const { resolve } = createRequire(new URL("tests/hosting/package.json", repository));
  try {
    return (await import(pathToFileURL(resolve("miniflare")).href)) as MiniflareModule;
  } catch (error) {
    throw new Error("Cloudflare's runtime is not installed. Run: npm ci --prefix tests/hosting", { cause: error });
  }
}

/** What the runtime logs of a body that a fault cuts short. */
const cutShort = /FixedLengthStream did not see all expected bytes/;

/** Shows what the runtime logs, but for what the faults of the suite cause. */
function passErrors(output: Readable, errors: Readable): void {
  output.resume();
  let isExpected = false;
  createInterface(errors).on("line", (line) => {
    isExpected = cutShort.test(line) || (isExpected && line.startsWith("stack: "));
    if (!isExpected) console.error(line);
  });
}

/** Starts the Worker on a free port. */
export async function startWorkerd({ folder, settings, entry }: WorkerdOptions = {}): Promise<Workerd> {
  const { main, compatibility_date, durable_objects, migrations, assets, vars } = readConfig();
  const { Miniflare } = await loadMiniflare();
  const classes = migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes);
  const objects = durable_objects.bindings.map(({ name, class_name }) => [
    name,
    { className: class_name, useSQLite: classes.includes(class_name) },
  ]);
  const runtime = new Miniflare({
    handleRuntimeStdio: passErrors,
    modules: true,
    script: await bundled(entry ?? new URL(main, hosting)),
    compatibilityDate: compatibility_date,
    ...{ host: "127.0.0.1", port: 0 },
    bindings: { ...vars, CONTROL_TOKEN: controlToken, ...settings },
    durableObjects: Object.fromEntries(objects),
    durableObjectsPersist: folder ?? false,
    assets: {
      directory: fileURLToPath(
        new URL(assets.directory.replace("node_modules/@call-transfer/", "packages/"), repository),
      ),
      binding: assets.binding,
      routerConfig: { invoke_user_worker_ahead_of_assets: assets.run_worker_first, has_user_worker: true },
    },
  });
  const { origin } = await runtime.ready;
  return { url: origin, stop: () => runtime.dispose() };
}
