import { accessSync, constants, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Backend } from "@call-transfer/backend";
import { type MockServer, type MockServerOptions, startMockServer } from "../server/server.ts";
import { standstill } from "../server/standstill.ts";
import { defaultTokenLifetime, readLifetime, UsageError } from "./command-line.ts";
import { banner, issueCredentials, variablesOf } from "./credentials.ts";
import { readDotenv, type Variables, withVariables } from "./dotenv.ts";
import { removeOwnReadyFile, removeStaleReadyFile } from "./ready-file.ts";
import { importedSnapshot, type StartValues, serverOptions } from "./start-options.ts";

/** Options about what a snapshot holds, too. */
const replacedBySnapshot = ["seed", "clock", "now", "prng", "policy", "fault", "latency"] as const;

/** Starts a server as the options say, and prints what is needed to use it. Ends the process on a signal. */
export async function start(values: StartValues): Promise<void> {
  const { "export-on-exit": snapshotFile, "ready-file": readyFile, "write-env": envFile } = values;
  if (readyFile !== undefined) beginReadyFile(readyFile);
  const options = serverOptions(values);
  const lifetimeSecs = readLifetime("--token-lifetime", values["token-lifetime"] ?? defaultTokenLifetime);
  const imported = importedSnapshot(values.import);
  if (snapshotFile !== undefined) expectWritable("--export-on-exit", snapshotFile);
  if (envFile !== undefined) {
    expectWritable("--write-env", envFile);
    readDotenv("--write-env", envFile);
  }
  const server = await listening(options);
  // Before any signal is heeded, so that none can export the seed over the snapshot.
  if (imported !== undefined) server.backend.restore(imported);
  onSignal(async () => {
    try {
      if (snapshotFile !== undefined) exportSnapshot(server.backend, snapshotFile);
    } finally {
      if (readyFile !== undefined) removeOwnReadyFile(readyFile);
      await server.close();
    }
  });
  try {
    const ready = await issueCredentials(server, lifetimeSecs);
    if (server.controlToken !== undefined) console.error("Other machines can reach this server.");
    const replaced = imported === undefined ? [] : replacedBySnapshot.filter((name) => values[name] !== undefined);
    if (replaced.length > 0) {
      const names = replaced.map((name) => `--${name}`).join(", ");
      console.error(`It goes on from ${values.import}, so these options have no effect before a reset: ${names}`);
    }
    const warning = standstill(server.backend);
    if (warning !== undefined) console.error(warning);
    if (envFile !== undefined) writeVariables(envFile, variablesOf(ready));
    if (readyFile !== undefined) writeWhole(readyFile, JSON.stringify(ready));
    console.log(values.json ? JSON.stringify(ready) : banner(ready));
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** A server that listens, or an Error that says what to do about it. */
async function listening(options: MockServerOptions): Promise<MockServer> {
  const { port, host = "127.0.0.1" } = options;
  return startMockServer(options).catch((error: NodeJS.ErrnoException & { cause?: { code?: string } }) => {
    const advice: Readonly<Record<string, string>> = {
      EADDRINUSE: `Port ${port} on ${host} is in use. Stop what listens there, or choose another port: --port 0 takes a free one.`,
      EACCES: `Port ${port} is not for everyone to listen on. Choose one above 1023 with --port.`,
      EADDRNOTAVAIL: `--host ${host} is no address of this machine. Use 127.0.0.1, or 0.0.0.0 for all that it has.`,
      ENOTFOUND: `--host ${host} has no address. Use 127.0.0.1, or 0.0.0.0 for all that this machine has.`,
    };
    const message = advice[error.code ?? error.cause?.code ?? ""];
    throw message === undefined ? error : new Error(message, { cause: error });
  });
}

/** Finds out before the work begins that its result could not be kept. */
export function expectWritable(option: string, path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch {
    throw new UsageError(`${option} ${path}: the folder ${dirname(path)} does not exist or cannot be written to.`);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${option} ${path}: is a folder; name a file.`);
}

/** Before anything else: a file of a killed server must not be read as this one's. */
export function beginReadyFile(path: string): void {
  expectWritable("--ready-file", path);
  removeStaleReadyFile(path);
}

/** Writes the snapshot, in need to another place: what was worth keeping is not lost to a folder that is gone. */
function exportSnapshot(backend: Backend, path: string): void {
  const content = JSON.stringify(backend.snapshot(), null, 2);
  try {
    writeWhole(path, content);
  } catch (error) {
    const refuge = join(mkdtempSync(join(tmpdir(), "call-transfer-mock-")), "snapshot.json");
    writeWhole(refuge, content);
    throw new Error(`--export-on-exit: ${messageOf(error)}. The snapshot is in ${refuge} instead.`, { cause: error });
  }
}

/** Writes a file so that whoever waits for it never reads half of it. Throws an Error that names it. */
export function writeWhole(path: string, content: string): void {
  try {
    writeFileSync(`${path}.part`, `${content}\n`, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch (error) {
    rmSync(`${path}.part`, { force: true });
    throw new Error(`${path} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** Sets variables in a `.env` file, which stays when the server ends: its other lines belong to somebody else. */
function writeVariables(file: string, variables: Variables): void {
  const { path, text } = readDotenv("--write-env", file);
  writeWhole(path, withVariables(text, variables).replace(/\n$/, ""));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Ends well at the first signal, and at once at the second. */
export function onSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(messageOf(error));
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
}
