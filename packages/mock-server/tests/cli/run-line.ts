import { parseCommand, runCommand } from "../../src/cli/run.ts";
import { asPrinted } from "../../src/cli/terminal/program.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";

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
  const status = await runCommand(parseCommand(name, [...args, "--url", url]), {
    width,
    hasColour: false,
    signal: new AbortController().signal,
    ...others,
    print(text) {
      output.stdout.push(text);
      onPrint?.(text);
    },
    warn: (text) => output.stderr.push(asPrinted(text)),
    note: (text) => output.stderr.push(text),
  }).catch((error: unknown) => {
    if (error instanceof Error) error.message = asPrinted(error.message);
    throw error;
  });
  return { status, stdout: output.stdout.join("\n"), stderr: output.stderr.join("\n") };
}
