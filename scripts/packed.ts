// The packages as a customer gets them: packed, installed in a project of their own, and the packed mock server started there.
import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const npmWithinMs = 600_000;
const installWithinMs = 600_000;
const readyWithinMs = 120_000;
const stopWithinMs = 60_000;

/** What the mock server prints about itself when it is ready. */
export interface Ready {
  readonly url: string;
  readonly apiKey: string;
}

/** Runs npm in a folder, and carries what it said in its error. */
export function npm(cwd: string, ...parameters: string[]): string {
  try {
    const options = { cwd, encoding: "utf8", timeout: npmWithinMs } as const;
    return execFileSync("npm", parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${(error as Error).message}\n${stdout}${stderr}`);
  }
}

/** Installs what a folder with a lockfile of its own asks for, unless it is there. */
export function ensureInstalled(folder: string): void {
  const installedAt = statSync(join(folder, "node_modules", ".package-lock.json"), { throwIfNoEntry: false })?.mtimeMs;
  const lockedAt = statSync(join(folder, "package-lock.json")).mtimeMs;
  // A lockfile newer than what was installed from it names other versions.
  if (installedAt === undefined || installedAt < lockedAt)
    execFileSync("npm", ["ci"], { cwd: folder, stdio: "inherit", timeout: installWithinMs });
}

/** Packs packages, named by their folders, into `folder`; gives the tarballs' names by package name. */
export function pack(folder: string, packages: readonly string[]): Record<string, string> {
  const workspaces = packages.flatMap((name) => ["--workspace", `packages/${name}`]);
  const report = npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...workspaces);
  const packed = JSON.parse(report) as { name: string; filename: string }[];
  return Object.fromEntries(packed.map(({ name, filename }) => [name, filename]));
}

/** A project of its own, beside the tarballs, that depends on nothing else. */
export function install(project: string, tarballs: Readonly<Record<string, string>>): void {
  mkdirSync(project);
  const dependencies = Object.fromEntries(
    Object.entries(tarballs).map(([name, filename]) => [name, `file:../${filename}`]),
  );
  const description = { name: "customer", private: true, type: "module", dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(description, null, 2));
  writeFileSync(join(project, ".npmrc"), "audit=false\nfund=false\nworkspaces=false\n");
  npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund");
}

type Server = ChildProcessByStdio<null, Readable, Readable>;

/** The server's first line, or an error that carries what it said instead. */
async function ready(server: Server): Promise<Ready> {
  const said: string[] = [];
  server.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const lines = createInterface({ input: server.stdout });
  const firstLine = new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`it ended with status ${code}`)));
  });
  const timeout = sleep(readyWithinMs, undefined, { ref: false }).then(() => {
    throw new Error(`it was not ready within ${readyWithinMs / 1000} s`);
  });
  try {
    const line = await Promise.race([firstLine, timeout]);
    said.push(line);
    return JSON.parse(line) as Ready;
  } catch (error) {
    throw new Error(`The mock server did not start: ${(error as Error).message}\n${said.join("")}`);
  }
}

async function stop(server: Server): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null || server.pid === undefined) return;
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  const inTime = await Promise.race([ended, sleep(stopWithinMs, "late", { ref: false })]);
  if (inTime === "late") {
    server.kill("SIGKILL");
    throw new Error(`The mock server did not stop within ${stopWithinMs / 1000} s`);
  }
}

/** Runs `use` beside the mock server that is installed in a project, on a free port. */
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
