// Starts recipes as processes of their own, and ends them.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, type Server } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../build/free-port.ts";

/** A limit for what hangs, not for what takes long. */
const limitMs = 300_000;

/** A running server of a recipe. */
export interface Running {
  readonly url: string;
  /** What it has printed. */
  output(): string;
  stop(): Promise<void>;
}

/** Rejects with the problem if the promise does not settle. */
export async function within<T>(problem: string, promise: Promise<T>, withinMs = limitMs): Promise<T> {
  const timer = new AbortController();
  const late = sleep(withinMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(problem);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    late.catch(() => {});
    timer.abort();
  }
}

/** Asks again and again until the answer is yes. Throws the problem if it stays no. */
export async function until(problem: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(limitMs);
  while (!(await isTrue())) {
    if (limit.aborted) throw new Error(problem);
    await sleep(20);
  }
}

/** Listens on a free port. Returns the address. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Starts a program with only the given variables, and collects its output. */
function start(folder: string, command: readonly string[], environment: Readonly<Record<string, string>>) {
  const [program = "", ...options] = command;
  const { PATH = "" } = process.env;
  const env = { PATH, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ...environment };
  const child: Child = spawn(program, options, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const printed: string[] = [];
  const answered: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text) => answered.push(text));
  for (const stream of [child.stdout, child.stderr.setEncoding("utf8")])
    stream.on("data", (text) => printed.push(text));
  return { child, output: () => printed.join(""), standardOutput: () => answered.join("") };
}

async function stop(child: Child): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  await ended;
  clearTimeout(timer);
}

/** Starts a server. It gets a free port as `PORT`. */
export async function startServer(
  folder: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Running> {
  // Frameworks do not say in one way on which port they listen.
  const port = await freePort();
  const { child, output } = start(folder, command, { ...environment, PORT: String(port) });
  const isReady = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`It ended with status ${child.exitCode}.\n${output()}`);
    return accepts(port);
  };
  try {
    await until(`It does not listen on port ${port}.`, isReady);
  } catch (error) {
    await stop(child);
    throw error;
  }
  return { url: `http://127.0.0.1:${port}`, output, stop: () => stop(child) };
}

/** Runs a program to its end. Returns its standard output, without what Node warns of. Throws all output if the program fails. */
export async function runProgram(
  folder: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { child, output, standardOutput } = start(folder, command, environment);
  try {
    const [status] = await within(`${command.join(" ")} does not end.`, once(child, "close"));
    if (status !== 0) throw new Error(`${command.join(" ")} ended with status ${status}.\n${output()}`);
    return standardOutput();
  } finally {
    await stop(child);
  }
}
