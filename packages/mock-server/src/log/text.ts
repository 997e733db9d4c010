import { inspect } from "node:util";

export interface Part {
  readonly text: string;
  readonly colour?: Colour | undefined;
}

/** An event as columns: what it is about, its state, and the text. */
export interface Columns {
  readonly label: string;
  readonly labelColour?: Colour | undefined;
  /** A status, or one word in the place of a status and a duration. */
  readonly state: string;
  readonly stateColour?: Colour | undefined;
  /** Milliseconds of real time. */
  readonly durationMs?: number | undefined;
  readonly parts: readonly Part[];
}

/** Returns the name of a destination, group or member. */
export type NameOf = (id: string) => string | undefined;

/** The name of a record, or its id in short. */
export function named(id: string, nameOf: NameOf): string {
  return nameOf(id) ?? shortIds(id);
}

const uuidLength = 36;
const uuid = /\b([\da-f]{4})[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{8}([\da-f]{4})\b/gi;

/** Shortens each UUID in a text to both ends: seeds number their ids at the end, and random ones differ everywhere. */
export function shortIds(text: string): string {
  return text.length < uuidLength ? text : text.replace(uuid, "$1…$2");
}

export function statusColour(status: number): Colour {
  if (status >= 200 && status < 300) return "green";
  if (status >= 300 && status < 400) return "cyan";
  return status >= 400 && status < 500 ? "yellow" : "red";
}

/** A colour or style of Node's own table. */
export type Colour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "dim" | "bold";

/** The parts of an output stream that decide on colour. */
export interface ColourStream {
  readonly isTTY?: boolean;
  getColorDepth?(env?: Record<string, string | undefined>): number;
}

/** Whether to colour what is written to a stream. `FORCE_COLOR` and `NO_COLOR` override what the terminal reports. */
export function hasColour(stream: ColourStream, env: Record<string, string | undefined> = process.env): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if (refused !== undefined && refused !== "") return false;
  return stream.isTTY === true && (stream.getColorDepth?.(env) ?? 1) > 1;
}

/** Colours a text; one that does not colour returns the text itself. */
export type Paint = (colour: Colour | undefined, text: string) => string;

// The escapes are looked up once. `styleText` would parse its format for each word, and Node 20.11 lacks it.
const escapesByColour = new Map(
  (["red", "green", "yellow", "blue", "magenta", "cyan", "dim", "bold"] as const).map((name) => {
    const [open, close] = inspect.colors[name] ?? [0, 0];
    return [name, { open: `\u001B[${open}m`, close: `\u001B[${close}m` }] as const;
  }),
);

const coloured: Paint = (colour, text) => {
  const escapes = colour === undefined ? undefined : escapesByColour.get(colour);
  return escapes === undefined || text === "" ? text : escapes.open + text + escapes.close;
};
const plain: Paint = (_colour, text) => text;

/** Returns the function that colours texts, or the one that leaves them as they are. */
export function paintFor(colour: boolean): Paint {
  return colour ? coloured : plain;
}

/** Breaks a text between words into lines of at most `width` characters. A longer word gets a line of its own. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
