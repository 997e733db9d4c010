// Starts recipes as processes of their own, with only the given variables.
import { execFile } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { accepts, limitMs, type ServerProcess, startServer as startProcess } from "../../receiving/server-process.ts";

/** A running server of a recipe. */
export type Running = Pick<ServerProcess, "url" | "output" | "stop">;

type Variables = Readonly<Record<string, string>>;

const withOwn = (variables: Variables): NodeJS.ProcessEnv => {
  const { PATH = "" } = process.env;
  return { PATH, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ...variables };
};

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

/** Listens on a free port. Returns the address. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a server. It gets a free port as `PORT`: frameworks do not say in one way on which port they listen. */
export const startServer = (folder: string, command: readonly string[], variables: Variables): Promise<Running> =>
  startProcess(
    {
      command: (port) => ["env", `PORT=${port}`, ...command],
      folder,
      folderStays: true,
      env: withOwn(variables),
      readyText: accepts,
      endSignal: "SIGTERM",
    },
    "http://",
  );

/** Runs a program to its end. Returns its standard output. Throws all output if the program fails. */
export async function runProgram(folder: string, command: readonly string[], variables: Variables = {}) {
  const [program = "", ...options] = command;
  const settings = { cwd: folder, env: withOwn(variables), timeout: limitMs, maxBuffer: 1 << 26 };
  try {
    return (await promisify(execFile)(program, options, settings)).stdout;
  } catch (error) {
    const { stdout = "", stderr = "", message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}${stderr}`);
  }
}
