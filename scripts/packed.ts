// Uses the packages as a customer does: packs and installs them in a new project, and starts the packed mock server there.
import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { writeTarballs } from "./tarballs.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
/** The packages of the checks, apart from the workspace. */
export const tools = join(root, "tests/tools");
const runWithinMs = 900_000;
const pollMs = 500;
const readyWithinMs = 120_000;
const stopWithinMs = 60_000;
const program = "every-operation.mjs";

/** What the mock server prints when it is ready. */
export interface Ready {
  readonly url: string;
  readonly apiKey: string;
}

/** A folder that is removed at the end of its scope. Declare it with `using`. */
export const temporaryFolder = (name: string) => mkdtempDisposableSync(join(tmpdir(), `call-transfer-${name}-`));

/** Runs a command in a folder and returns its output. The error of a failed command contains the output. */
export function run(folder: string, command: string, ...options: readonly string[]): string {
  try {
    const settings = { cwd: folder, encoding: "utf8", timeout: runWithinMs, maxBuffer: 1 << 28 } as const;
    return execFileSync(command, options, { ...settings, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}${stderr}`);
  }
}

const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Installs what a folder's package.json names, unless it is there: exactly with a lockfile, and otherwise the direct
 * dependencies alone exactly. Waits for another process that installs the same.
 */
export function ensureInstalled(folder: string): void {
  const lockfile = join(folder, "package-lock.json");
  const isLocked = existsSync(lockfile);
  const wantedMs = changedMs(isLocked ? lockfile : join(folder, "package.json"));
  const isCurrent = () => changedMs(join(folder, "node_modules", ".package-lock.json")) >= wantedMs;
  const turn = join(folder, ".cache", "installing");
  while (!isCurrent()) {
    if (!tookTurn(turn)) continue;
    try {
      const command = isLocked ? ["ci"] : ["install", "--no-package-lock"];
      if (!isCurrent()) execFileSync("npm", command, { cwd: folder, stdio: "inherit", timeout: runWithinMs });
    } finally {
      rmSync(turn, { recursive: true });
    }
    return;
  }
}

/** Makes a folder that one process at a time can make. Otherwise waits a moment, and removes what was left behind. */
function tookTurn(folder: string): boolean {
  mkdirSync(dirname(folder), { recursive: true });
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (changedMs(folder) < Date.now() - runWithinMs) rmSync(folder, { recursive: true, force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
    return false;
  }
}

/** Installs tests/tools, whose packages a folder then finds as its own. */
export function ensureTools(folder: string): void {
  ensureInstalled(tools);
  const link = join(folder, "node_modules");
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  rmSync(link, { recursive: true, force: true });
  try {
    symlinkSync(join(tools, "node_modules"), link, "junction");
  } catch (error) {
    // Another process may have been first.
    if (!existsSync(link)) throw error;
  }
}

/** Packs packages, given by their folders, into `folder`. Returns the tarball of each package name. */
export const pack = (folder: string, packages: readonly string[]): Record<string, string> =>
  writeTarballs(root, packages, folder);

/** Returns the optional peer dependencies of packages, given by their folders, with their ranges. */
export function optionalPeers(packages: readonly string[]): Record<string, string> {
  const peersOf = (name: string) => {
    const text = readFileSync(join(root, "packages", name, "package.json"), "utf8");
    return (JSON.parse(text) as { peerDependencies?: Record<string, string> }).peerDependencies;
  };
  return Object.assign({}, ...packages.map(peersOf));
}

/**
 * Creates a project beside the tarballs and installs it.
 *
 * @param others What it depends on besides them, as ranges by name.
 */
export function install(
  project: string,
  tarballs: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>> = {},
): void {
  mkdirSync(project);
  const packed = Object.entries(tarballs).map(([name, filename]) => [name, `file:../${filename}`]);
  const dependencies = { ...Object.fromEntries(packed), ...others };
  const description = { name: "customer", private: true, type: "module", dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(description, null, 2));
  writeFileSync(join(project, ".npmrc"), "audit=false\nfund=false\nworkspaces=false\n");
  run(project, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund");
}

type Server = ChildProcessByStdio<null, Readable, Readable>;

/** Waits for the server's first line. The error contains the output of the server. */
async function ready(server: Server): Promise<Ready> {
  const said: string[] = [];
  server.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const lines = createInterface({ input: server.stdout });
  const firstLine = new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`It exited with status ${code}.`)));
  });
  const timeout = sleep(readyWithinMs, undefined, { ref: false }).then(() => {
    throw new Error(`It was not ready within ${readyWithinMs / 1000} s.`);
  });
  try {
    const line = await Promise.race([firstLine, timeout]);
    said.push(line);
    return JSON.parse(line) as Ready;
  } catch (error) {
    throw new Error(`The mock server did not start. ${(error as Error).message}\n${said.join("")}`);
  }
}

async function stop(server: Server): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null || server.pid === undefined) return;
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  const inTime = await Promise.race([ended, sleep(stopWithinMs, "late", { ref: false })]);
  if (inTime === "late") {
    server.kill("SIGKILL");
    throw new Error(`The mock server did not stop within ${stopWithinMs / 1000} s.`);
  }
}

/** Runs `use` while the mock server of a project listens on a free port. */
export async function withPackedServer(
  project: string,
  options: readonly string[],
  use: (ready: Ready) => Promise<void>,
): Promise<void> {
  const command = join(project, "node_modules", ".bin", "call-transfer-mock");
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  const server = spawn(command, ["--port", "0", "--json", ...options], { cwd: project, stdio });
  try {
    await use(await ready(server));
  } finally {
    await stop(server);
  }
}

/** Runs examples/every-operation.mjs in a project against a server. */
export async function runEveryOperation(project: string, { url, apiKey }: Ready): Promise<void> {
  copyFileSync(join(root, "examples", program), join(project, program));
  const child = spawn(process.execPath, [program], {
    cwd: project,
    env: { ...process.env, CALL_TRANSFER_BASE_URL: url, CALL_TRANSFER_API_KEY: apiKey },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: runWithinMs,
  });
  const [status, signal] = (await once(child, "exit")) as [number | null, string | null];
  if (status !== 0) throw new Error(`${program} ended with ${signal ?? `status ${status}`}.`);
}
