// The hosted mock server in Cloudflare's runtime workerd, as packages/mock-server/hosting/ deploys it.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";
import { build } from "esbuild";

const repository = new URL("../../", import.meta.url);
const hosting = fileURLToPath(new URL("packages/mock-server/hosting/", repository));

/** A running Worker. */
export interface Workerd {
  /** Its address, without a slash at the end. */
  readonly url: string;
  /** Ends the runtime. What objects store stays in the folder. */
  stop(): Promise<void>;
  /** Ends the runtime with SIGKILL; only on Linux. */
  kill(): Promise<void>;
}

export interface WorkerdOptions {
  /** Keeps what objects store beyond the runtime; by default it is in memory. */
  readonly folder?: string;
  /** The port on 127.0.0.1; a free one by default. */
  readonly port?: number;
  /** Settings and secrets in place of those of wrangler.jsonc; undefined for one that is not set. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Another program than the one that is deployed. */
  readonly entry?: URL;
  /** Whether to run the built packages, as a customer does, instead of the sources. */
  readonly isBuilt?: boolean;
}

/** The control token of the Workers that are started here. */
export const controlToken = "a-control-token-for-tests";

/** The parts of wrangler.jsonc that miniflare takes in another form. */
export interface WranglerConfig {
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly durable_objects?: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  readonly migrations?: readonly { readonly new_sqlite_classes: readonly string[] }[];
  readonly assets?: { readonly directory: string; readonly binding: string; readonly run_worker_first: boolean };
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly secrets_store_secrets?: readonly {
    readonly binding: string;
    readonly store_id: string;
    readonly secret_name: string;
  }[];
}

/** JSON with comments is an expression. Its file names the place of a syntax error. */
export function readConfig(folder: string): WranglerConfig {
  const filename = join(folder, "wrangler.jsonc");
  return runInThisContext(`(${readFileSync(filename, "utf8")})`, { filename });
}

/** What miniflare takes of a configuration. Several Workers share the Durable Objects of one script. */
export function optionsOf(config: WranglerConfig, scriptName?: string): object {
  const classes = (config.migrations ?? []).flatMap(({ new_sqlite_classes }) => new_sqlite_classes);
  const objects = (config.durable_objects?.bindings ?? []).map(({ name, class_name: className }) => [
    name,
    { className, useSQLite: classes.includes(className), ...(scriptName !== undefined && { scriptName }) },
  ]);
  return {
    modules: true,
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags ?? [],
    durableObjects: Object.fromEntries(objects),
  };
}

/** Bundles a Worker, as wrangler does. */
export async function bundleFile(path: string, conditions: readonly string[] = []): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    ...{ bundle: true, format: "esm", target: "es2022", platform: "browser", write: false },
    conditions: [...conditions, "workerd", "worker", "browser"],
    absWorkingDir: fileURLToPath(repository),
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

const bundles = new Map<string, Promise<string>>();

/** Bundles the mock server, or another program; each once a process. */
export function bundleWorker({ entry, isBuilt = false }: WorkerdOptions = {}): Promise<string> {
  const path = entry === undefined ? join(hosting, readConfig(hosting).main) : fileURLToPath(entry);
  const key = `${path} ${isBuilt}`;
  const bundle = bundles.get(key) ?? bundleFile(path, isBuilt ? [] : ["@call-transfer/source"]);
  bundles.set(key, bundle);
  return bundle;
}

/** A secret of the Secrets Store, to change it. */
interface SecretAdmin {
  create(value: string): Promise<string>;
  update(value: string, id: string): Promise<string>;
}

/** What is used of miniflare, which only tests/tools/ installs. */
export interface Miniflare {
  readonly ready: Promise<URL>;
  dispatchFetch(url: string): Promise<Response>;
  unsafeGetDirectURL(worker: string): Promise<URL>;
  getSecretsStoreSecretAPI(binding: string, worker: string): Promise<() => SecretAdmin>;
  dispose(): Promise<void>;
}

/** Starts Cloudflare's runtime. A Worker that does not start ends it: a runtime that is left would keep this process alive. */
export async function openMiniflare(options: object): Promise<Miniflare> {
  const require = createRequire(new URL("tests/tools/package.json", repository));
  const { Miniflare } = require("miniflare") as { Miniflare: new (options: object) => Miniflare };
  const miniflare = new Miniflare({ host: "127.0.0.1", port: 0, ...options });
  try {
    await miniflare.ready;
    return miniflare;
  } catch (error) {
    await miniflare.dispose();
    throw error;
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

/** The processes of Cloudflare's runtime that this process has started. */
function runtimeProcesses(): readonly number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      // The name in brackets, the state, and the parent's id.
      const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      return name === "workerd" && Number(parent) === process.pid ? [Number(pid)] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** The last start: one after the other, so that each finds its own process. */
let starting: Promise<unknown> = Promise.resolve();

/** Starts the Worker on a free port. */
export function startWorkerd(options: WorkerdOptions = {}): Promise<Workerd> {
  const started = starting.then(() => start(options));
  starting = started.catch(() => {});
  return started;
}

async function start({ folder, port = 0, settings, ...program }: WorkerdOptions): Promise<Workerd> {
  const config = readConfig(hosting);
  const { assets, vars } = config;
  if (assets === undefined) throw new Error("wrangler.jsonc names no assets.");
  const script = await bundleWorker(program);
  const bindings = { ...vars, CONTROL_TOKEN: controlToken, ...settings };
  const others = runtimeProcesses();
  const runtime = await openMiniflare({
    ...optionsOf(config),
    ...{ script, port, handleRuntimeStdio: passErrors, durableObjectsPersist: folder ?? false },
    bindings: Object.fromEntries(Object.entries(bindings).filter(([, value]) => value !== undefined)),
    assets: {
      directory: fileURLToPath(
        new URL(assets.directory.replace("node_modules/@call-transfer/", "packages/"), repository),
      ),
      binding: assets.binding,
      routerConfig: { invoke_user_worker_ahead_of_assets: assets.run_worker_first, has_user_worker: true },
    },
  });
  const { origin } = await runtime.ready;
  const own = runtimeProcesses().filter((pid) => !others.includes(pid));
  return {
    url: origin,
    stop: () => runtime.dispose(),
    async kill() {
      for (const pid of own) process.kill(pid, "SIGKILL");
      await runtime.dispose();
    },
  };
}
