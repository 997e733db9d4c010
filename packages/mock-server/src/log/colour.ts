import { inspect } from "node:util";

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
