// The receiver processes: starts them, ends and stops them by signals, and says when it did.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../build/free-port.ts";
import { pythonCommand, pythonEnvironment } from "../../tests/receiving/python.ts";
import { type ProcessEntry, readEntries } from "./entries.ts";
import { eventHeader, handledHeader, type ProcessOptions, secret } from "./process-options.ts";

/** One process, from its start to its end. Times are in milliseconds since 1970. */
export interface Life {
  readonly name: string;
  /** When SIGKILL was sent. */
  killedMs?: number;
  /** From SIGSTOP to SIGCONT. */
  readonly stops: { readonly fromMs: number; toMs: number }[];
}

interface Running {
  readonly child: ChildProcess;
  readonly life: Life;
}

export interface Fleet {
  readonly ports: readonly number[];
  readonly lives: readonly Life[];
  /** Ends a receiver with SIGKILL. */
  kill(receiver: number): Promise<void>;
  /** Starts it again on the same port. */
  start(receiver: number): Promise<void>;
  /** Stops it with SIGSTOP. */
  stop(receiver: number): void;
  /** Lets it run again with SIGCONT. */
  resume(receiver: number): void;
  /** Ends all. Returns what they wrote down. */
  close(): Promise<ProcessEntry[]>;
}

const program = fileURLToPath(new URL("receiver.ts", import.meta.url));
/** Processes start often, so they compile their sources once. */
const environment = {
  ...process.env,
  ...pythonEnvironment,
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/node", import.meta.url)),
};
const nodeOptions = ["--conditions=@call-transfer/source", "--no-warnings"];

/** The program and its arguments. In Python, it gets what is a constant here. */
function commandOf(options: ProcessOptions, isPython: boolean): readonly [string, ...string[]] {
  if (!isPython) return [process.execPath, ...nodeOptions, program, JSON.stringify(options)];
  const all = { ...options, secret, eventHeader, handledHeader };
  return [pythonCommand(), program.replace(/ts$/, "py"), JSON.stringify(all)];
}

/** Starts the receivers, the last ones in Python. Their entries go into the folder. */
export async function startFleet(
  { receivers, python }: { receivers: number; python: number },
  folder: string,
  options: Omit<ProcessOptions, "name" | "port" | "entries">,
): Promise<Fleet> {
  // Other processes must not take them between two starts.
  const ports = await Promise.all(Array.from({ length: receivers }, freePort));
  const lives: Life[] = [];
  const running = new Map<number, Running>();
  const starts = ports.map(() => 0);
  const fileOf = (name: string) => join(folder, `${name}.jsonl`);

  const runningOf = (receiver: number): Running => {
    const found = running.get(receiver);
    if (found === undefined) throw new Error(`Receiver ${receiver} is not running.`);
    return found;
  };
  const start = async (receiver: number): Promise<void> => {
    starts[receiver] = (starts[receiver] ?? 0) + 1;
    const name = `${receiver}.${starts[receiver]}`;
    const all: ProcessOptions = { ...options, name, port: ports[receiver] ?? 0, entries: fileOf(name) };
    const [file, ...words] = commandOf(all, receiver >= receivers - python);
    const child = spawn(file, words, {
      env: environment,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const life: Life = { name, stops: [] };
    lives.push(life);
    running.set(receiver, { child, life });
    const ended = once(child, "exit").then(() => "ended");
    if ((await Promise.race([once(child, "message"), ended])) === "ended")
      throw new Error(`Receiver ${name} ended before it was ready.`);
  };
  const end = async (receiver: number, { child }: Running): Promise<void> => {
    running.delete(receiver);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  const kill = async (receiver: number): Promise<void> => {
    const found = runningOf(receiver);
    const { child, life } = found;
    if (child.exitCode !== null)
      throw new Error(`Receiver ${life.name} ended by itself: exit status ${child.exitCode}.`);
    life.killedMs = Date.now();
    await end(receiver, found);
  };
  const fleet: Fleet = {
    ports,
    lives,
    kill,
    start,
    stop(receiver) {
      const { child, life } = runningOf(receiver);
      life.stops.push({ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY });
      child.kill("SIGSTOP");
    },
    resume(receiver) {
      const { child, life } = runningOf(receiver);
      const last = life.stops.at(-1);
      if (last) last.toMs = Date.now();
      child.kill("SIGCONT");
    },
    async close() {
      await Promise.all([...running].map(([receiver, found]) => end(receiver, found)));
      return lives.flatMap(({ name }) => readEntries(fileOf(name), name));
    },
  };
  await Promise.all(ports.map((_, receiver) => start(receiver)));
  return fleet;
}
