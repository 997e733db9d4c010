// The server: a process of its own on a fixed port, killed with its whole process group and started again on the same data.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../build/free-port.ts";
import type { Target } from "../clients/requests.ts";
import type { Life } from "../history.ts";
import type { PlantName } from "./plants.ts";

/** The kinds of servers. */
export const kindNames = ["sqlite", "durable-object"] as const;
export type KindName = (typeof kindNames)[number];

/** What Cloudflare's runtime logs if its list of alarms and the storage of an object differ after a kill: the storage decides. */
const expectedErrors = /^workerd\/io\/actor-sqlite\.c\+\+:\d+: warning: NOSENTRY SQLite alarm .*\n/gm;

const workerToken = "a-control-token-for-kills";

/** A limit for what hangs, not for what takes long. */
const readyLimitMs = 300_000;

const sourceOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const source = ["--conditions=@call-transfer/source", "--no-warnings=MODULE_TYPELESS_PACKAGE_JSON"];

/** The arguments of Node for a server that keeps its data in a folder. */
const commands: Readonly<Record<KindName, (folder: string, port: number, plant: PlantName | undefined) => string[]>> = {
  sqlite(folder, port, plant) {
    const file = join(folder, "mock.db");
    if (plant !== undefined) return [sourceOf("planted-server.ts"), file, String(port), plant];
    const cli = sourceOf("../../../packages/mock-server/src/cli.ts");
    return [cli, "start", "--data-file", file, "--port", String(port), "--log-format", "silent"];
  },
  "durable-object": (folder, port) => [sourceOf("worker-server.ts"), folder, String(port), workerToken],
};

/** The tokens of their control planes. */
const tokens: Readonly<Record<KindName, string | undefined>> = { sqlite: undefined, "durable-object": workerToken };

/** Ends the latest of the processes whose ids it reads, and removes the folder, once the test process is gone. */
const watch = `trap '' INT TERM HUP
while read -r line; do last=$line; done
kill -KILL -- "-$last"
rm -rf "$1"`;

export interface Server extends Target {
  /** The folder of its data, in which the command has `mock.db`. */
  readonly folder: string;
  /** What its processes printed as errors, but for what is expected. */
  errors(): string;
  /** Starts a process, and waits until it answers. With a time, kills it after that many milliseconds before. */
  start(killAfterMs?: number): Promise<void>;
  /** Ends the process with SIGKILL, or lets it end in order. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Ends the process, and removes the data. */
  close(): Promise<void>;
}

/** Prepares a server on a free port. Its processes are added to `lives`. */
export async function prepareServer(kind: KindName, lives: Life[], plant: PlantName | undefined): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-kills-"));
  // Another process must not take it between two starts.
  const port = await freePort();
  const watcher = spawn("sh", ["-c", watch, "watch", folder], { stdio: ["pipe", "ignore", "ignore"] });
  const errors: string[] = [];
  let running: { readonly child: ChildProcess; readonly life: Life; readonly ended: Promise<unknown> } | undefined;

  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    if (running === undefined) return;
    const { child, ended, life } = running;
    running = undefined;
    if (child.exitCode !== null) throw new Error(`The server ended by itself: exit status ${child.exitCode}.`);
    life.endedBy = signal;
    if (signal === "SIGKILL") process.kill(-Number(child.pid), signal);
    else child.kill(signal);
    await ended;
    if (signal === "SIGTERM" && child.exitCode !== 0)
      throw new Error(`The server was asked to end, and ended with exit status ${child.exitCode}.`);
    await portIsFree(port);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    folder,
    token: tokens[kind],
    errors: () => errors.join("").replaceAll(expectedErrors, "").trim(),
    async start(killAfterMs) {
      const options = [...source, ...commands[kind](folder, port, plant)];
      // A group of its own, so that processes which it starts itself end with it.
      const child = spawn(process.execPath, options, { detached: true, stdio: ["ignore", "ignore", "pipe"] });
      watcher.stdin.write(`${child.pid}\n`);
      child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
      const life: Life = { startedMs: Date.now() };
      lives.push(life);
      running = { child, life, ended: once(child, "close") };
      if (killAfterMs !== undefined) {
        await sleep(killAfterMs);
        return end("SIGKILL");
      }
      while (!(await answers(port, tokens[kind]))) {
        if (child.exitCode !== null) {
          await running.ended;
          running = undefined;
          throw new Error(`The server ended at its start: exit status ${child.exitCode}.`);
        }
        if (Date.now() - life.startedMs > readyLimitMs)
          throw new Error(`The server does not answer ${readyLimitMs / 1000} s after its start.`);
        await sleep(10);
      }
      life.readyMs = Date.now();
    },
    end,
    async close() {
      try {
        await end("SIGKILL");
      } finally {
        watcher.kill("SIGKILL");
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Whether the server is ready. */
async function answers(port: number, token: string | undefined): Promise<boolean> {
  if (!(await accepts(port))) return false;
  const headers: HeadersInit = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}/_control/v1/health`, { headers }).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok ?? false;
}

/** Waits until nothing listens on a port: a process of the group may end a little later than the first one. */
async function portIsFree(port: number): Promise<void> {
  while (await accepts(port)) await sleep(5);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
