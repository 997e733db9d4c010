// Starts the packed mock server in a project that has it, and calls it.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runWithinMs } from "./made.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const readyWithinMs = 300_000;
const stopWithinMs = 300_000;
const program = "every-operation.mjs";

/** What the mock server prints when it is ready. */
export interface Ready {
  readonly url: string;
  readonly apiKey: string;
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
