// What the command prints: messages, hints of command lines to try, and data for a terminal.
import { type Colour, hasColour, paintFor } from "../log/text.ts";
import { program } from "../net/program.ts";

export { program };

/** A command line of this program for a message. */
export const commandLine = (words: string): string => `${program} ${words}`;

/** The options of a command line that lead to a server, as texts. Settings of the environment are not among them. */
export type Connection = Readonly<Partial<Record<"url" | "sandbox" | "controlToken", string | undefined>>>;

/** Writes a command line to try, for a message. */
export type Hint = (command: string) => string;

/** Writes command lines for the server that a command line led to, with the same options. */
export const hintFor =
  ({ url, sandbox, controlToken }: Connection): Hint =>
  (command) => {
    const options = Object.entries({ url, sandbox, "control-token": controlToken });
    const given = options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${quoted(value)}`]));
    return commandLine([command, ...given].join(" "));
  };

/** The text as one word of a shell. */
const quoted = (text: string): string => (/^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The columns of a terminal; undefined if the stream is not one or reports none, and then nothing is shortened or broken. */
export function terminalWidth(stream: { readonly isTTY?: boolean; readonly columns?: number }): number | undefined {
  return stream.isTTY ? stream.columns || undefined : undefined;
}

/** Prints why a command failed and what to do. The word in front sets it apart from what npm prints around it. */
export function printError(message: string): void {
  print("red", "error:", message);
}

/** Prints what is unusual, but did not fail. */
export function printWarning(message: string): void {
  print("yellow", "warning:", message);
}

function print(colour: Colour, word: string, message: string): void {
  console.error(`${paintFor(hasColour(process.stderr))(colour, word)} ${printable(message)}`);
}

/**
 * A text for a terminal. Names, paths and bodies come from clients and servers: they could move the cursor, change the
 * terminal's title, or show text in another order. Line breaks, tabs and colours stay.
 */
export function printable(text: string): string {
  return text.replace(/\p{Cc}\[\d{1,2}m|[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (found) => {
    const isColour = found.startsWith("\u001B") && found.length > 1;
    return isColour || found === "\n" || found === "\t" ? found : `?${found.slice(1)}`;
  });
}

/** Data as indented JSON for a terminal. It loses nothing: characters that are not printable are written as escapes of JSON. */
export function printableJson(data: unknown): string {
  const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(data, null, 2).replace(/[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, escaped);
}

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

/** The terminal of this process. Reading its signal lets Ctrl-C abort it, instead of ending the process. */
export function processTerminal(): Terminal {
  const { stdout } = process;
  let ending: AbortController | undefined;
  let hasPrinted = false;
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
    print(text) {
      // The reader of a pipe may close it early, as head does. A server, which prints otherwise, runs on.
      if (!hasPrinted)
        stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
      hasPrinted = true;
      console.log(text);
    },
    warn: printError,
  };
}
