import { type Colour, hasColour, paintFor } from "../../log/colour.ts";
import { joinWords } from "../../log/wrap.ts";
import { asPrinted } from "./program.ts";
import { terminalWidth } from "./width.ts";

/** Prints why a command failed and what to do. The word in front sets it apart from what npm prints around it. */
export function printError(message: string): void {
  print("red", "error:", message);
}

/** Prints what is unusual, but did not fail. */
export function printWarning(message: string): void {
  print("yellow", "warning:", message);
}

function print(colour: Colour, word: string, message: string): void {
  const text = wrapMessage(printable(message), terminalWidth(process.stderr), word.length + 1);
  console.error(`${paintFor(hasColour(process.stderr))(colour, word)} ${text}`);
}

/**
 * Breaks a message between words for a terminal, with `indent` columns before each line; the first has the word "error:" there.
 * A command in it ({@link asOneWord}) stays on one line.
 */
export function wrapMessage(message: string, width: number | undefined, indent: number): string {
  if (width === undefined) return asPrinted(message);
  const lines = message.split("\n").flatMap((line) => joinWords(line.split(" "), width - indent));
  return asPrinted(lines.join(`\n${" ".repeat(indent)}`));
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
