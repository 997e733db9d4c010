import { AsyncLocalStorage } from "node:async_hooks";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { vi } from "vitest";
import { commandFile } from "../../../../build/command-file.ts";
import { commands } from "../../src/cli/commands.ts";
import { startOptions } from "../../src/cli/options.ts";
import type { Terminal } from "../../src/cli/output.ts";
import { runProgram } from "../../src/cli/program.ts";
import { type RawValues, settle } from "../../src/cli/settings.ts";
import type { StartSettings } from "../../src/cli/start-options.ts";

/** Runs a command in this process against a server, and returns what it printed. Rejects with what the program would print. */
export async function runLine(url: string, name: string, ...args: string[]) {
  return runIn({}, url, name, ...args);
}

/** Like {@link runLine}, in a terminal. */
export async function runIn(
  terminal: Partial<Pick<Terminal, "width" | "hasColour" | "signal">> & { onPrint?: (text: string) => void },
  url: string,
  name: string,
  ...args: string[]
) {
  const output = { stdout: [] as string[], stderr: [] as string[] };
  const { onPrint, width, ...others } = terminal;
  const unused = () => Promise.reject(new Error("Only commands for a running server run here."));
  const status = await runProgram(
    [name, ...args, "--url", url],
    { commands, start: unused, attack: unused },
    {
      width,
      hasColour: false,
      signal: new AbortController().signal,
      ...others,
      print(text) {
        output.stdout.push(text);
        onPrint?.(text);
      },
      warn: (text) => output.stderr.push(text),
    },
  );
  return { status, stdout: output.stdout.join("\n"), stderr: output.stderr.join("\n") };
}

/** The settings with which a command line would start a server. Rejects with what the program would print. */
export async function startSettings(...args: string[]): Promise<StartSettings> {
  let settings: StartSettings | undefined;
  const start = async (raw: RawValues) => {
    settings = settle(startOptions, raw);
  };
  await runProgram(args, { commands: [], start, attack: async () => 0 }, silent);
  if (settings === undefined) throw new Error("It would not start a server.");
  return settings;
}

const silent: Terminal = {
  ...{ width: undefined, hasColour: false, signal: new AbortController().signal },
  ...{ print: () => {}, warn: () => {} },
};

/** What each command line that runs in this process has printed. */
const printing = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

/**
 * Runs a whole command line in this process, from the bundle that a start would run: a start takes fifty times as long. For
 * those that end by themselves; one that starts a server would stay.
 */
export async function finish(...args: string[]) {
  const file = pathToFileURL(join(dirname(commandFile()), "main.js")).href;
  const { main }: typeof import("../../src/cli/main.ts") = await import(file);
  const to = (stream: "stdout" | "stderr") => (text: string) => {
    const printed = printing.getStore();
    if (printed !== undefined) printed[stream] += `${text}\n`;
  };
  vi.spyOn(console, "log").mockImplementation(to("stdout"));
  vi.spyOn(console, "error").mockImplementation(to("stderr"));
  // Each command listens for the end of the reader.
  vi.spyOn(process.stdout, "on").mockReturnThis();
  const printed = { stdout: "", stderr: "" };
  const status = (await printing.run(printed, main, args)) ?? 0;
  return { status, ...printed };
}
