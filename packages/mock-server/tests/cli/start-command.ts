// Starts the command in a process of its own, which ends with the test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";

/** What a process gets besides the command line: options of Node in front of it, and variables. */
interface Surroundings {
  readonly node?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a command line. */
export function run(args: readonly string[], { node = [], env = {} }: Surroundings = {}) {
  const child = spawn(process.execPath, [...node, commandFile(), ...args], {
    // Some runners of tests force colours.
    env: { ...process.env, FORCE_COLOR: undefined, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text) => {
      output[stream] += text;
    });
  /** Waits for a line on standard error, which may be read later than what was written to standard output after it. */
  const warned = async (): Promise<string> => {
    while (!output.stderr.endsWith("\n")) await once(child.stderr, "data");
    return output.stderr;
  };
  /** Ends the process, and returns its exit status. */
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<unknown> => {
    child.kill(signal);
    return (await once(child, "close"))[0];
  };
  return { child, output, warned, stop };
}

/** Starts a server, and waits until it is ready. Returns what it printed, too. */
export async function ready(args: readonly string[] = [], surroundings: Surroundings = {}) {
  const started = run(["--port", "0", "--json", ...args], surroundings);
  await Promise.race([once(started.child.stdout, "data"), once(started.child, "close")]);
  const info = JSON.parse(started.output.stdout);
  /** The status of a request to the API with a credential. */
  const statusFor = async (credential: string): Promise<number> => {
    const headers = { authorization: `Bearer ${credential}`, "x-account-id": info.accountId };
    return (await fetch(`${info.url}/api/v1/roles`, { headers })).status;
  };
  return { ...started, info, url: String(info.url), statusFor };
}
