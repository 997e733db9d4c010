import { hasColour } from "../../log/colour.ts";
import { printError, printWarning } from "./messages.ts";
import { terminalWidth } from "./width.ts";

export interface Terminal {
  /** The number of columns; undefined if the output is not a terminal, and then nothing is shortened. */
  readonly width: number | undefined;
  readonly hasColour: boolean;
  /** Ends a command that would go on forever. */
  readonly signal: AbortSignal;
  /** Prints lines to the standard output. */
  print(text: string): void;
  /** Prints why the command failed to the standard error. */
  warn(text: string): void;
  /** Prints what is unusual, but did not fail, to the standard error. */
  note(text: string): void;
}

/** The terminal of this process. Reading its signal lets Ctrl-C abort it, instead of ending the process. */
export function processTerminal(): Terminal {
  const { stdout } = process;
  // The reader of a pipe may close it early, as head does.
  stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  let ending: AbortController | undefined;
  return {
    width: terminalWidth(stdout),
    hasColour: hasColour(stdout),
    get signal() {
      if (ending === undefined) {
        const controller = new AbortController();
        ending = controller;
        for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
      }
      return ending.signal;
    },
    print: (text) => console.log(text),
    warn: printError,
    note: printWarning,
  };
}
