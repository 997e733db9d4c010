import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Backend, InputError } from "@call-transfer/backend";
import { hasColour } from "../../log/colour.ts";
import type { UnknownOptions } from "../../server/forwarding-server.ts";
import { type MockServer, startMockServer } from "../../server/server.ts";
import type { MockServerOptions } from "../../server/server-options.ts";
import { StoreError } from "../../store/store-error.ts";
import { errorMessage } from "../../web/error-message.ts";
import { readDotenv, type Variables, withVariables } from "../files/dotenv.ts";
import { readStubs } from "../files/stubs-file.ts";
import { writeFileAtomically } from "../files/write-file.ts";
import type { OptionTable } from "../options/option-entry.ts";
import { startOptions } from "../options/options.ts";
import { frozenClockWarning } from "../terminal/frozen-clock-warning.ts";
import { printWarning } from "../terminal/messages.ts";
import { terminalWidth } from "../terminal/width.ts";
import { readLifetime, thisUser, UsageError } from "../values/command-line.ts";
import { banner, hintOf } from "./banner.ts";
import { issueCredentials, type ReadyInfo, variablesOf } from "./credentials.ts";
import { runServer } from "./run-server.ts";
import { importedSnapshot, logMode, readUnknown, type StartValues, serverOptions } from "./start-options.ts";

/** Checks the options before anything starts. Throws UsageError for a wrong one. */
async function readOptions(values: StartValues) {
  const { "export-on-exit": snapshotFile, "ready-file": readyFile, "write-env": envFile, data, stubs } = values;
  if (readyFile !== undefined) beginReadyFile(readyFile);
  const options: MockServerOptions = {
    ...serverOptions(values),
    ...(stubs !== undefined && { stubs: await readStubs("--stubs", stubs) }),
  };
  const unknown = readUnknown(values);
  const log = logMode(values);
  const lifetimeSecs = readLifetime(
    "--token-lifetime",
    values["token-lifetime"] ?? startOptions["token-lifetime"].fallback,
  );
  if (data !== undefined && !values["read-only"]) expectWritable("--data", data);
  const imported = importedSnapshot(values.import);
  if (imported !== undefined && data !== undefined && existsSync(data))
    throw new UsageError(
      `--import ${values.import}: would replace the state in ${data}. Remove --import, or name a new file with --data.`,
    );
  if (snapshotFile !== undefined) expectWritable("--export-on-exit", snapshotFile);
  if (envFile !== undefined) {
    expectWritable("--write-env", envFile);
    readDotenv("--write-env", envFile);
  }
  return { options, unknown, log, lifetimeSecs, imported };
}

/** Starts a server. Loads what forwards to another one only if one is named. */
async function startServer(options: MockServerOptions, unknown: UnknownOptions | undefined): Promise<MockServer> {
  if (unknown === undefined) return startMockServer(options);
  return (await import("../../server/forwarding-server.ts")).startForwardingServer(unknown, options);
}

/** Starts a server and prints its address and credentials. A signal ends the process. */
export async function start(values: StartValues): Promise<void> {
  const { "export-on-exit": snapshotFile, "write-env": envFile, data } = values;
  const { options, unknown, log, lifetimeSecs, imported } = await readOptions(values);
  const server = await listening(() => startServer(options, unknown), options);
  // Before the signal handlers, so that a signal cannot export the seed over the snapshot.
  if (imported !== undefined) server.backend.restore(imported);
  const isRestored = imported !== undefined || server.backend.isResumed;
  await runServer(server, {
    values,
    log,
    beforeClose: () => snapshotFile !== undefined && exportSnapshot(server.backend, snapshotFile),
    async prepare() {
      const ready: ReadyInfo = {
        ...(await issueCredentials(server, lifetimeSecs)),
        ...(!isRestored && { prng: server.backend.prng }),
        ...(data !== undefined && { data: resolve(data) }),
      };
      // What is printed is valid after a kill too.
      await server.backend.saved();
      if (server.controlToken !== undefined && options.controlToken === undefined)
        printWarning("Other machines can reach this server. Its control plane requires the control token.");
      if (isRestored) warnOfReplaced(values, imported === undefined ? data : values.import);
      const warning = frozenClockWarning(server.backend, hintOf(ready));
      if (warning !== undefined) printWarning(warning);
      if (envFile !== undefined) writeVariables(envFile, variablesOf(ready));
      return ready;
    },
    // Set apart from the lines that follow.
    banner: (ready) =>
      banner(ready, hasColour(process.stdout), terminalWidth(process.stdout)) + (log === "silent" ? "" : "\n"),
  });
}

/** Names the options that a snapshot or a kept state overrides. */
function warnOfReplaced(values: StartValues, restoredFrom: string | undefined): void {
  const options: OptionTable = startOptions;
  const names = Object.keys(options).filter(
    (name) => options[name]?.isState && Reflect.get(values, name) !== undefined,
  );
  if (names.length === 0) return;
  const list = names.map((name) => `--${name}`).join(", ");
  printWarning(`Restored from ${restoredFrom}. These options have no effect until a reset: ${list}`);
}

/** Starts a server. Rejects with an Error that says how to fix a wrong port or host. */
async function listening<Server>(
  startServer: () => Promise<Server>,
  { port, host }: { readonly port?: number | undefined; readonly host?: string | undefined },
): Promise<Server> {
  return startServer().catch((error: NodeJS.ErrnoException & { cause?: { code?: string } }) => {
    if (error instanceof InputError && error.field === "unknownTo")
      throw new UsageError(`--unknown-to: ${error.explanation}.`, { cause: error });
    if (error instanceof StoreError) throw new Error(`--data: ${error.message}`, { cause: error });
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

/** Checks early that a file can be written. Throws UsageError that names the option. */
function expectWritable(option: string, path: string): void {
  const folder = resolve(dirname(path));
  if (!existsSync(folder))
    throw new UsageError(`${option} ${path}: the folder ${folder} does not exist. Create it first.`);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    const reason = `${thisUser()} cannot write to the folder ${folder}`;
    throw new UsageError(`${option} ${path}: ${reason}. Name another folder, or make this one writable.`);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${option} ${path}: is a folder. Name a file.`);
}

/** Removes the ready file of a killed server before anything else, so that it cannot be read as this server's. */
export function beginReadyFile(path: string): void {
  expectWritable("--ready-file", path);
  rmSync(path, { force: true });
}

/** Writes the snapshot. If that fails, writes it to a temporary folder, so that it is not lost. */
function exportSnapshot(backend: Backend, path: string): void {
  const content = JSON.stringify(backend.snapshot(), null, 2);
  try {
    writeFileAtomically(path, content);
  } catch (error) {
    const fallback = join(mkdtempSync(join(tmpdir(), "call-transfer-mock-")), "snapshot.json");
    writeFileAtomically(fallback, content);
    throw new Error(`--export-on-exit: ${errorMessage(error)}. The snapshot was written to ${fallback} instead.`, {
      cause: error,
    });
  }
}

/** Sets variables in a `.env` file. The file stays when the server ends, because its other lines are the user's. */
function writeVariables(file: string, variables: Variables): void {
  const { path, text } = readDotenv("--write-env", file);
  writeFileAtomically(path, withVariables(text, variables).replace(/\n$/, ""));
}
