// The hosted mock server in Cloudflare's runtime workerd, as packages/mock-server/hosting/ deploys it.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";
import { build } from "esbuild";

const repository = new URL("../../", import.meta.url);
const hosting = new URL("packages/mock-server/hosting/", repository);

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
interface WranglerConfig {
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[];
  readonly assets: { readonly directory: string; readonly binding: string; readonly run_worker_first: boolean };
  readonly vars: Readonly<Record<string, unknown>>;
}

/** JSON with comments is an expression. Its file names the place of a syntax error. */
function readConfig(): WranglerConfig {
  const filename = fileURLToPath(new URL("wrangler.jsonc", hosting));
  return runInThisContext(`(${readFileSync(filename, "utf8")})`, { filename });
}

const bundles = new Map<string, Promise<string>>();

/** Bundles the Worker, as wrangler does; each program once a process. */
export function bundleWorker({ entry, isBuilt = false }: WorkerdOptions = {}): Promise<string> {
  const path = fileURLToPath(entry ?? new URL(readConfig().main, hosting));
  const key = `${path} ${isBuilt}`;
  const bundle = bundles.get(key) ?? bundleFile(path, isBuilt);
  bundles.set(key, bundle);
  return bundle;
}

async function bundleFile(path: string, isBuilt: boolean): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    ...{ bundle: true, format: "esm", target: "es2022", platform: "browser", write: false },
    conditions: [...(isBuilt ? [] : ["@call-transfer/source"]), "workerd", "worker", "browser"],
    absWorkingDir: fileURLToPath(repository),
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

/** What the tests use of miniflare, which only tests/tools/ installs. */
interface MiniflareModule {
  readonly Miniflare: new (options: object) => { readonly ready: Promise<URL>; dispose(): Promise<void> };
}

async function loadMiniflare(): Promise<MiniflareModule> {
  const { resolve } = createRequire(new URL("tests/tools/package.json", repository));
  try {
    return (await import(pathToFileURL(resolve("miniflare")).href)) as MiniflareModule;
  } catch (error) {
    throw new Error("Cloudflare's runtime is not installed. Run: npm run check -- hosting", { cause: error });
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
  const { compatibility_date, compatibility_flags, durable_objects, migrations, assets, vars } = readConfig();
  const { Miniflare } = await loadMiniflare();
  const classes = migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes);
  const objects = durable_objects.bindings.map(({ name, class_name }) => [
    name,
    { className: class_name, useSQLite: classes.includes(class_name) },
  ]);
  const script = await bundleWorker(program);
  const bindings = { ...vars, CONTROL_TOKEN: controlToken, ...settings };
  const others = runtimeProcesses();
  const runtime = new Miniflare({
    handleRuntimeStdio: passErrors,
    ...{
      modules: true,
      script,
      compatibilityDate: compatibility_date,
      compatibilityFlags: compatibility_flags,
      host: "127.0.0.1",
      port,
    },
    bindings: Object.fromEntries(Object.entries(bindings).filter(([, value]) => value !== undefined)),
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
