import { hasColour } from "../log/colour.ts";
import { printError } from "./messages.ts";

/** Where a command prints. */
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
}

/** The terminal of this process. The first Ctrl-C aborts its signal. */
export function processTerminal(): Terminal {
  const { stdout } = process;
  const ending = new AbortController();
  return {
    width: stdout.isTTY ? stdout.columns : undefined,
    hasColour: hasColour(stdout),
    signal: ending.signal,
    print: (text) => console.log(text),
    warn: printError,
  };
}
