// Real servers for tests: each on a free port, with a temporary folder of its own, ended by its process id. A watcher ends it and
// removes the folder if the test process dies first, even by SIGKILL.
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../build/free-port.ts";

/** A limit for what hangs, not for what takes long. */
export const limitMs = 300_000;

/** A running server. */
export interface ServerProcess {
  readonly port: number;
  /** Address for a client, such as redis://127.0.0.1:6379. */
  readonly url: string;
  /** Process id. `start` changes it. */
  readonly pid: number;
  /** What it has printed since its last start. */
  output(): string;
  /** What all its processes have printed as errors. */
  errors(): string;
  /** Sends it a signal, such as SIGSTOP, SIGCONT or SIGKILL. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it with a signal, and waits for that. Returns its exit status; `null` after SIGKILL. Throws if it ended by itself before. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Starts it again on the same port and folder. With a time, kills it that many milliseconds later, ready or not. */
  start(killAfterMs?: number): Promise<void>;
  /** Ends it with SIGKILL, if it still runs, and starts it again on the same port and folder. */
  restart(): Promise<void>;
  /** Ends it, also if it is stopped by SIGSTOP, and removes its folder. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Waits for the end of the test process, whose pipe then closes, and ends the server: process or group, signal, folder. */
const watch = `trap '' INT TERM HUP
read -r line
kill -CONT "$1"; kill -"$2" "$1"
for round in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$1" || break; sleep 0.2; done
kill -KILL "$1"
rm -rf "$3"`;

/** How to start a server. */
export interface ServerSetup {
  /** The command for a port. */
  readonly command: (port: number) => readonly string[];
  /** Its working directory, which is removed at the end unless it stays. */
  readonly folder: string;
  readonly folderStays?: true;
  /** It prints this as soon as clients can use it; or whether they can, by its port. */
  readonly readyText: string | ((port: number) => Promise<boolean>);
  /** Ends it without waiting for its clients. */
  readonly endSignal: "SIGTERM" | "SIGQUIT" | "SIGKILL";
  /** Variables in place of those of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether it starts processes of its own. SIGKILL then ends all of them. */
  readonly hasChildren?: true;
}

/** A server process with its watcher. */
class Running {
  readonly printed: string[] = [];
  readonly errors: string[] = [];
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private readonly watcher: ChildProcess;
  private readonly ended: Promise<unknown>;
  private readonly setup: ServerSetup;
  private readonly port: number;

  constructor(setup: ServerSetup, port: number) {
    this.setup = setup;
    this.port = port;
    const [file = "", ...options] = setup.command(port);
    const { folder: cwd, env = process.env, hasChildren: detached = false } = setup;
    this.child = spawn(file, options, { cwd, env, detached, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => this.printed.push(text));
    this.child.stderr.on("data", (text: string) => this.errors.push(text));
    this.ended = once(this.child, "close");
    const target = `${detached ? "-" : ""}${this.child.pid}`;
    const words = ["-c", watch, "watch", target, setup.endSignal.slice(3), setup.folderStays ? "" : cwd];
    this.watcher = spawn("sh", words, { stdio: ["pipe", "ignore", "ignore"] });
    // Also of a server that ended by itself: a watcher that waits keeps the test process alive.
    void this.ended.then(() => this.watcher.kill("SIGKILL"));
  }

  get pid(): number {
    return this.child.pid ?? Number.NaN;
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async ready(): Promise<void> {
    const limit = AbortSignal.timeout(limitMs);
    const { readyText } = this.setup;
    const isReady = async (): Promise<boolean> =>
      typeof readyText === "string" ? this.printed.join("").includes(readyText) : readyText(this.port);
    while (!(await isReady())) {
      if (this.isOver) throw new Error(`The server ended.\n${this.printed.join("")}`);
      if (limit.aborted) throw new Error(`The server is not ready after ${limitMs} ms.\n${this.printed.join("")}`);
      await sleep(10);
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isOver) return;
    if (signal === "SIGKILL" && this.setup.hasChildren) process.kill(-this.pid, signal);
    else this.child.kill(signal);
  }

  get exitCode(): number | null {
    return this.child.exitCode;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal);
    this.signal("SIGCONT");
    const timer = setTimeout(() => this.signal("SIGKILL"), limitMs);
    await this.ended;
    clearTimeout(timer);
    this.watcher.kill("SIGKILL");
  }
}

/** Starts a server on a free port. Redis and PostgreSQL do not say which one they would choose. */
export async function startServer(setup: ServerSetup, scheme: string): Promise<ServerProcess> {
  const open = async (port: number): Promise<Running> => {
    const running = new Running(setup, port);
    try {
      await running.ready();
      return running;
    } catch (error) {
      await running.end("SIGKILL");
      throw error;
    }
  };
  const port = await freePort();
  let running = await open(port);
  let earlierErrors = "";
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (running.isOver)
      throw new Error(`The server ended by itself: ${running.exitCode}.\n${running.printed.join("")}`);
    await running.end(signal);
    // A process that it started may end a little later.
    while (setup.hasChildren && (await accepts(port))) await sleep(5);
    return running.exitCode;
  };
  const start = async (killAfterMs?: number): Promise<void> => {
    earlierErrors += running.errors.join("");
    if (killAfterMs === undefined) {
      running = await open(port);
      return;
    }
    running = new Running(setup, port);
    await sleep(killAfterMs);
    await end("SIGKILL");
  };
  const stop = async () => {
    await running.end(setup.endSignal);
    if (!setup.folderStays) rmSync(setup.folder, { recursive: true, force: true });
  };
  return {
    port,
    url: `${scheme}127.0.0.1:${port}`,
    get pid() {
      return running.pid;
    },
    output: () => running.printed.join(""),
    errors: () => earlierErrors + running.errors.join(""),
    signal: (signal) => running.signal(signal),
    end,
    start,
    restart: async () => {
      if (!running.isOver) await end("SIGKILL");
      await start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Whether something listens on a port of this machine. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** A folder for a server. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "call-transfer-server-"));

/** Waits until a check is true. Says what is wrong if it stays false. */
export async function until(problem: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(limitMs);
  while (!(await isTrue())) {
    if (limit.aborted) throw new Error(problem);
    await sleep(20);
  }
}
