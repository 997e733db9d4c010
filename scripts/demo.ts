// The product as a customer meets it: packs the packages, installs the tarballs in a fresh folder, starts the packed mock
// server there and runs examples/every-operation.mjs against it. Expects the packages to be built.
import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const published = ["spec", "sdk", "backend", "mock-server"];
const program = "every-operation.mjs";
// A frozen afternoon: placing calls depends on the time of day.
const now = "2026-03-02T15:00:00Z";
const npmWithinMs = 120_000;
const readyWithinMs = 20_000;
const drivenWithinMs = 60_000;
const stopWithinMs = 5_000;

/** What the mock server prints about itself when it is ready. */
interface Ready {
  url: string;
  apiKey: string;
}

type Server = ChildProcessByStdio<null, Readable, Readable>;

function npm(cwd: string, ...parameters: string[]): string {
  try {
    const options = { cwd, encoding: "utf8", timeout: npmWithinMs } as const;
    return execFileSync("npm", parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${(error as Error).message}\n${stdout}${stderr}`);
  }
}

/** Packs the packages into `folder` and gives the tarballs' names by package name. */
function pack(folder: string): Record<string, string> {
  const workspaces = published.flatMap((name) => ["--workspace", `packages/${name}`]);
  const report = npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", folder, ...workspaces);
  const packed = JSON.parse(report) as { name: string; filename: string }[];
  return Object.fromEntries(packed.map(({ name, filename }) => [name, filename]));
}

/** A project of its own that depends on nothing but the tarballs. */
function install(project: string, tarballs: Record<string, string>): void {
  mkdirSync(project);
  const dependencies = Object.fromEntries(
    Object.entries(tarballs).map(([name, filename]) => [name, `file:../${filename}`]),
  );
  const description = { name: "customer", private: true, type: "module", dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(description, null, 2));
  writeFileSync(join(project, ".npmrc"), "audit=false\nfund=false\nworkspaces=false\n");
  npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund");
}

function start(project: string): Server {
  const command = join(project, "node_modules", ".bin", "call-transfer-mock");
  const options = ["--port", "0", "--clock", "frozen", "--now", now, "--json"];
  return spawn(command, options, { cwd: project, stdio: ["ignore", "pipe", "pipe"] });
}

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

async function drive(project: string, { url, apiKey }: Ready): Promise<void> {
  const copy = join(project, program);
  copyFileSync(join(root, "examples", program), copy);
  const environment = { ...process.env, CALL_TRANSFER_URL: url, CALL_TRANSFER_API_KEY: apiKey };
  const customer = spawn(process.execPath, [copy], {
    cwd: project,
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: drivenWithinMs,
  });
  const [code, signal] = (await once(customer, "exit")) as [number | null, string | null];
  if (signal) throw new Error(`${program} was ended by ${signal} (it may take ${drivenWithinMs / 1000} s)`);
  if (code !== 0) throw new Error(`${program} ended with status ${code}`);
}

async function demo(folder: string): Promise<void> {
  console.log("Packing the packages and installing them in a fresh project …");
  const project = join(folder, "customer");
  const tarballs = pack(folder);
  install(project, tarballs);
  for (const filename of Object.values(tarballs)) console.log(`  installed ${filename}`);
  const server = start(project);
  try {
    const info = await ready(server);
    console.log(`  mock server at ${info.url}, its clock frozen at ${now}\n`);
    await drive(project, info);
  } finally {
    await stop(server);
  }
}

const folder = mkdtempSync(join(tmpdir(), "call-transfer-demo-"));
try {
  await demo(folder);
} catch (error) {
  console.error(`\nThe demo failed. ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
