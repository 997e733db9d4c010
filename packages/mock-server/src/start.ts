import { accessSync, constants, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Backend } from "@call-transfer/backend";
import { UsageError } from "./command-line.ts";
import { type MockServer, type MockServerOptions, startMockServer } from "./server.ts";
import { importedSnapshot, type StartValues, serverOptions } from "./start-options.ts";

/** What `--json` and `--ready-file` say; the banner shows the same. */
interface Ready {
  readonly url: string;
  readonly apiKey: string;
  readonly accountId: string;
  /** An access token for each role that the account has, each good for a day. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly controlToken?: string;
}

const tokenLifetimeSecs = 86_400;
/** Options about what a snapshot holds, too. */
const replacedBySnapshot = ["seed", "clock", "now", "prng", "policy", "fault", "latency"] as const;

/** Starts a server as the options say, and prints what is needed to use it. Ends the process on a signal. */
export async function start(values: StartValues): Promise<void> {
  const { "export-on-exit": snapshotFile, "ready-file": readyFile } = values;
  const options = serverOptions(values);
  const imported = importedSnapshot(values.import);
  if (snapshotFile !== undefined) expectWritable("--export-on-exit", snapshotFile);
  if (readyFile !== undefined) expectWritable("--ready-file", readyFile);
  const server = await listening(options);
  // Before any signal is heeded, so that none can export the seed over the snapshot.
  if (imported !== undefined) server.backend.restore(imported);
  onSignal(async () => {
    try {
      if (snapshotFile !== undefined) exportSnapshot(server.backend, snapshotFile);
    } finally {
      if (readyFile !== undefined) rmSync(readyFile, { force: true });
      await server.close();
    }
  });
  try {
    const ready = await issueCredentials(server);
    if (server.controlToken !== undefined) console.error("Other machines can reach this server.");
    const replaced = imported === undefined ? [] : replacedBySnapshot.filter((name) => values[name] !== undefined);
    if (replaced.length > 0) {
      const names = replaced.map((name) => `--${name}`).join(", ");
      console.error(`It goes on from ${values.import}, so these options have no effect before a reset: ${names}`);
    }
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

async function issueCredentials({ url, backend, controlToken }: MockServer): Promise<Ready> {
  const { state, keys } = backend;
  const accountId = state.accounts.keys().next().value ?? "";
  const owned = [...state.apiKeys.values()].find((key) => key.accountId === accountId && key.state === "valid");
  const tokens: Record<string, string> = {};
  for (const member of state.members.values())
    if (member.accountId === accountId)
      tokens[member.role] ??= await keys.issueToken({ userId: member.userId, expiresInSecs: tokenLifetimeSecs });
  const apiKey = owned?.key ?? (accountId === "" ? "" : keys.issueApiKey({ accountId }).key);
  return { url: pasteable(url), apiKey, accountId, tokens, ...(controlToken !== undefined && { controlToken }) };
}

function banner({ url, apiKey, accountId, tokens, controlToken }: Ready): string {
  const credentials = [
    `API key (for servers):  ${apiKey}`,
    `Account:                ${accountId}`,
    "",
    "Access tokens (for browsers, with the account in the header X-Account-Id), good for a day:",
    ...Object.entries(tokens).map(([role, token]) => `  ${role.padEnd(6)}  ${token}`),
  ];
  return [
    `The mock server listens on ${url}`,
    "",
    ...(apiKey === "" ? ["There are no credentials, because the data holds no account: see --seed."] : credentials),
    ...(controlToken === undefined ? [] : ["", `Control plane token:    ${controlToken}`]),
    "",
    ...(apiKey === "" ? [] : [`Try:   curl -H "Authorization: Bearer ${apiKey}" ${url}/api/v1/roles`]),
    "Help:  call-transfer-mock --help",
    "Stop:  Ctrl-C",
  ].join("\n");
}

/** The address as this machine reaches it: one that stands for all addresses is none that every client connects to. */
export function pasteable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
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
