import { type Colour, hasColour, paintFor } from "../log/colour.ts";

/** Prints why a command failed and what to do. The word in front sets it apart from what npm prints around it. */
export function printError(message: string): void {
  print("red", "error:", message);
}

/** Prints what is unusual, but did not fail. */
export function printWarning(message: string): void {
  print("yellow", "warning:", message);
}

function print(colour: Colour, word: string, message: string): void {
  console.error(`${paintFor(hasColour(process.stderr))(colour, word)} ${message}`);
}
