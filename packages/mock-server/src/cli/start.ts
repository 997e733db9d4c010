// `start`: runs a server until a signal.
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Backend, InputError, type SandboxRegistry } from "@call-transfer/backend";
import { errorMessage } from "@call-transfer/backend/control-client";
import { letProcessEnd, setTimeout } from "@call-transfer/backend/unstable";
import { type LogMode, startLog } from "../log/server-log.ts";
import { hasColour } from "../log/text.ts";
import { issueCredentials, localUrl, type ReadyInfo } from "../server/credentials.ts";
import type { FallbackOptions } from "../server/forward.ts";
import { type MockServer, startMockServer } from "../server/server.ts";
import type { MockServerOptions } from "../server/server-options.ts";
import { StoreError } from "../store/store-error.ts";
import { waitingWarning } from "./advice.ts";
import {
  beginReadyFile,
  expectWritable,
  readDotenv,
  removeOwnReadyFile,
  withVariables,
  writeFileAtomically,
} from "./files.ts";
import { exitStatus, flagOf, type OptionTable, startOptions } from "./options.ts";
import { hintFor, printError, printWarning } from "./output.ts";
import { banner, prismBanner, variablesOf } from "./ready.ts";
import { naming, type RawValues, settle } from "./settings.ts";
import {
  expectTakenByPrism,
  fallbackOf,
  importedSnapshot,
  type StartSettings,
  serverOptions,
} from "./start-options.ts";
import { UsageError } from "./values.ts";

/** Starts a server, and prints its address and credentials. A signal ends the process. */
export async function start(raw: RawValues): Promise<void> {
  if (typeof raw.readyFile === "string") beginReadyFile(raw.readyFile);
  const settled = settle(startOptions, raw);
  await naming(settled, () => (settled.values.prism ? startPrism(settled) : startMock(settled)));
}

async function startMock(settled: StartSettings): Promise<void> {
  const { values, given } = settled;
  const { exportOnExit, writeEnv, dataFile, json, logFormat: log = json ? "silent" : "pretty" } = values;
  const { options, fallback, imported } = await readOptions(settled);
  const server = await listening(() => startServer(options, fallback), options);
  // Before the signal handlers, so that a signal cannot export the seed over the snapshot.
  if (imported !== undefined) server.backend.restore(imported);
  const isRestored = imported !== undefined || server.backend.resumed;
  await runServer(server, settled, {
    log,
    beforeClose: () => exportOnExit !== undefined && exportSnapshot(server.backend, exportOnExit),
    async prepare() {
      const ready: ReadyInfo = {
        ...(await issueCredentials(server, values.tokenExpiresIn)),
        ...(!isRestored && { randomSeed: server.backend.randomSeed }),
        ...(dataFile !== undefined && { dataFile: resolve(dataFile) }),
      };
      // What is printed is valid after a kill too.
      await server.backend.flush();
      if (server.controlToken !== undefined && options.controlToken === undefined)
        printWarning("Other machines can reach this server. Its control plane requires the control token.");
      if (isRestored) warnOfReplaced(given.keys(), imported === undefined ? dataFile : values.import);
      const warning = waitingWarning(
        server.backend.clock.mode,
        server.backend.faults.list(),
        hintFor({ url: ready.url }),
      );
      if (warning !== undefined) printWarning(warning);
      if (writeEnv !== undefined) {
        // The file stays when the server ends, because its other lines are the user's.
        const { path, text } = readDotenv("--write-env", writeEnv);
        writeFileAtomically(path, withVariables(text, variablesOf(ready)).replace(/\n$/, ""));
      }
      return ready;
    },
    // Set apart from the lines that follow.
    banner: (ready) => banner(ready, hasColour(process.stdout)) + (log === "silent" ? "" : "\n"),
  });
}

/** Starts Prism. Loads it only then. */
async function startPrism(settled: StartSettings): Promise<void> {
  expectTakenByPrism(settled);
  const { host, port, corsOrigins } = serverOptions(settled.values);
  const { startPrismServer } = await import("../server/prism.ts");
  const server = await startPrismServer({
    cors: corsOrigins !== undefined,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  });
  // Prism accepts every key.
  const ready = { pid: process.pid, url: localUrl(server.url), engine: "prism", apiKey: "svc_live_any" };
  await runServer(server, settled, { log: "silent", prepare: () => ready, banner: prismBanner });
}

/** Checks the options before anything starts. Throws UsageError for a wrong one. */
async function readOptions({ values }: StartSettings) {
  const { dataFile, stubs, exportOnExit, writeEnv } = values;
  const options: MockServerOptions = {
    ...serverOptions(values),
    ...(stubs !== undefined && { stubs: await (await import("./stubs-file.ts")).readStubs("--stubs", stubs) }),
  };
  const fallback = fallbackOf(values);
  if (dataFile !== undefined) expectWritable("--data-file", dataFile);
  const imported = importedSnapshot(values.import);
  if (imported !== undefined && dataFile !== undefined && existsSync(dataFile))
    throw new UsageError(
      `--import ${values.import}: would replace the state in ${dataFile}. Remove --import, or name a new file with --data-file.`,
    );
  if (exportOnExit !== undefined) expectWritable("--export-on-exit", exportOnExit);
  if (writeEnv !== undefined) {
    expectWritable("--write-env", writeEnv);
    readDotenv("--write-env", writeEnv);
  }
  return { options, fallback, imported };
}

/** Starts a server. Loads what forwards to another one only if one is named. */
async function startServer(options: MockServerOptions, fallback: FallbackOptions | undefined): Promise<MockServer> {
  if (fallback === undefined) return startMockServer(options);
  return (await import("../server/forward.ts")).startForwardingServer(fallback, options);
}

/** Names the options that a snapshot or a kept state overrides. */
function warnOfReplaced(given: Iterable<string>, restoredFrom: string | undefined): void {
  const [options, names]: [OptionTable, ReadonlySet<string>] = [startOptions, new Set(given)];
  const replaced = Object.keys(options).filter((name) => options[name]?.isState && names.has(name));
  if (replaced.length === 0) return;
  const list = replaced.map(flagOf).join(", ");
  printWarning(`Restored from ${restoredFrom}. These options have no effect until a reset: ${list}`);
}

/** Starts a server. Rejects with an Error that says how to fix a wrong port, host or file. */
async function listening(
  startOne: () => Promise<MockServer>,
  { port, host }: Pick<MockServerOptions, "port" | "host">,
): Promise<MockServer> {
  return startOne().catch((error: NodeJS.ErrnoException & { cause?: { code?: string } }) => {
    if (error instanceof InputError && error.field === "fallbackUrl")
      throw new UsageError(`--fallback-url: ${error.explanation}.`, { cause: error });
    if (error instanceof StoreError) throw new Error(`--data-file: ${error.message}`, { cause: error });
    const advice: Readonly<Record<string, string>> = {
      EADDRINUSE: `Port ${port} on ${host} is in use. Stop the other server, or choose another port. --port 0 picks a free one.`,
      EACCES: `Port ${port} requires elevated privileges. Use a port above 1023.`,
      EADDRNOTAVAIL: `--host ${host}: this machine does not have the address. Use 127.0.0.1, or 0.0.0.0 for all addresses.`,
      ENOTFOUND: `--host ${host}: the name does not resolve. Use 127.0.0.1, or 0.0.0.0 for all addresses.`,
    };
    const message = advice[error.code ?? error.cause?.code ?? ""];
    throw message === undefined ? error : new Error(message, { cause: error });
  });
}

/** Writes a snapshot, to a temporary folder if the given one is gone or cannot be written to. */
function exportSnapshot(backend: Backend, path: string): void {
  const content = JSON.stringify(backend.snapshot(), null, 2);
  try {
    writeFileAtomically(path, content);
  } catch (error) {
    const other = join(mkdtempSync(join(tmpdir(), "call-transfer-mock-")), "snapshot.json");
    writeFileAtomically(other, content);
    throw new Error(`--export-on-exit: ${errorMessage(error)}. The snapshot was written to ${other} instead.`, {
      cause: error,
    });
  }
}

interface Run<Ready> {
  readonly log: LogMode;
  /** Runs before the server closes at a signal. */
  readonly beforeClose?: () => void;
  /** Returns what `--json` and `--ready-file` contain. */
  readonly prepare: () => Ready | Promise<Ready>;
  readonly banner: (ready: Ready) => string;
}

/** Prints that a server is ready, and then its log. A signal ends the process; an error before that closes the server. */
async function runServer<Ready extends object>(
  server: { close(): Promise<void>; readonly sandboxes?: SandboxRegistry },
  { values: { json, readyFile } }: StartSettings,
  { log, beforeClose, prepare, banner }: Run<Ready>,
): Promise<void> {
  let stopLog = () => Promise.resolve();
  onSignal(async () => {
    // First, so that the log does not show how the server closes.
    const logged = stopLog();
    try {
      beforeClose?.();
    } finally {
      if (readyFile !== undefined) removeOwnReadyFile(readyFile);
      await server.close();
      await logged;
    }
  });
  try {
    const ready = await prepare();
    if (readyFile !== undefined) writeFileAtomically(readyFile, JSON.stringify(ready));
    console.log(json || log === "json" ? JSON.stringify(ready) : banner(ready));
    if (server.sandboxes !== undefined) stopLog = startLog(server.sandboxes, log);
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** First signal: graceful shutdown. Second: exit immediately. */
function onSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = () => {
    if (isStopping) process.exit(exitStatus.interrupted);
    isStopping = true;
    stop().then(
      () => process.exit(exitStatus.success),
      (error: unknown) => {
        printError(errorMessage(error));
        process.exit(exitStatus.failure);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  if (isByPackageManager()) onLostParent(() => isStopping || end());
}

/** How often a server looks whether its parent is still there, in milliseconds. */
const lookEveryMs = 500;

/**
 * Whether npx or a script of package.json that does nothing else has started this process, such as `npm start` of this repository.
 * Each runs it in a shell, which dies of a signal without passing it on. A script may also leave a server behind on purpose, with
 * `&`.
 */
function isByPackageManager(): boolean {
  return /^(?:'?call-transfer-mock'?|node \S+ scripts\/start\.ts)(?: [^&;|]*)?$/.test(
    process.env.npm_lifecycle_script ?? "",
  );
}

function onLostParent(end: () => void): void {
  const { ppid } = process;
  const look = (): void => (process.ppid === ppid ? letProcessEnd(setTimeout(look, lookEveryMs)) : end());
  look();
}
