// Real servers for tests: each on a free port, with a temporary folder of its own, ended by its process id. A watcher ends it and
// removes the folder if the test process dies first, even by SIGKILL.
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
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
  /** Process id. `restart` changes it. */
  readonly pid: number;
  /** What it has printed. */
  output(): string;
  /** Sends it a signal, such as SIGSTOP, SIGCONT or SIGKILL. */
  signal(signal: NodeJS.Signals): void;
  /** Ends it with SIGKILL and starts it again on the same port and folder. */
  restart(): Promise<void>;
  /** Ends it, also if it is stopped by SIGSTOP, and removes its folder. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Waits for the end of the test process, whose pipe then closes, and ends the server: process, signal, folder. */
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
  /** Its working directory, which is removed at the end. */
  readonly folder: string;
  /** It prints this as soon as clients can use it. */
  readonly readyText: string;
  /** Ends it without waiting for its clients. */
  readonly endSignal: "SIGTERM" | "SIGQUIT";
}

/** A server process with its watcher. */
class Running {
  readonly printed: string[] = [];
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private readonly watcher: ChildProcess;
  private readonly ended: Promise<unknown>;
  private readonly setup: ServerSetup;

  constructor(setup: ServerSetup, port: number) {
    this.setup = setup;
    const [file = "", ...options] = setup.command(port);
    this.child = spawn(file, options, { cwd: setup.folder, stdio: ["ignore", "pipe", "pipe"] });
    this.ended = once(this.child, "close");
    const words = ["-c", watch, "watch", String(this.child.pid), setup.endSignal.slice(3), setup.folder];
    this.watcher = spawn("sh", words, { stdio: ["pipe", "ignore", "ignore"] });
  }

  get pid(): number {
    return this.child.pid ?? Number.NaN;
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async ready(): Promise<void> {
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => this.printed.push(text));
    const limit = AbortSignal.timeout(limitMs);
    while (!this.printed.join("").includes(this.setup.readyText)) {
      if (this.isOver) throw new Error(`The server ended.\n${this.printed.join("")}`);
      if (limit.aborted) throw new Error(`The server is not ready after ${limitMs} ms.\n${this.printed.join("")}`);
      await sleep(10);
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.isOver) this.child.kill(signal);
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

/** Starts a server on a free port. Redis, PostgreSQL and nginx do not say which one they would choose. */
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
  const stop = async () => {
    await running.end(setup.endSignal);
    rmSync(setup.folder, { recursive: true, force: true });
  };
  return {
    port,
    url: `${scheme}127.0.0.1:${port}`,
    get pid() {
      return running.pid;
    },
    output: () => running.printed.join(""),
    signal: (signal) => running.signal(signal),
    restart: async () => {
      await running.end("SIGKILL");
      running = await open(port);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A folder for a server. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "call-transfer-server-"));
