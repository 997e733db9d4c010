import type { Colour } from "./colour.ts";

export interface Part {
  readonly text: string;
  readonly colour?: Colour | undefined;
  /** Left out if the line is too long. */
  readonly isOptional?: boolean;
  /** Shortened in the middle if the line is too long. */
  readonly isPath?: boolean;
  /** Never left out and never shortened: an error code, which is looked up. */
  readonly isWhole?: boolean;
  /** Continues below the line if that is too long: why something failed, what to change, and the fault or stub that answered. */
  readonly isReason?: boolean;
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
