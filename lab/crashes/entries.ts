// What a receiver process writes down: a line of JSON for each step. A line is in the file before the next step begins, so
// that it survives a kill.
import { openSync, readFileSync, writeSync } from "node:fs";

/** One step. Times are in milliseconds since 1970. */
export interface Entry {
  readonly action:
    | "claim"
    | "complete"
    | "release"
    /** `onEvent` was called. */
    | "start"
    /** `onEvent` ended. */
    | "end"
    /** The response was sent. */
    | "respond"
    /** The process did not run between the two times, or hardly. */
    | "stall";
  /** Id of the event; "" for a stall. */
  readonly event: string;
  /** The store's owner. */
  readonly owner?: string | undefined;
  readonly handling?: string | undefined;
  /** When the step began. The store acted between the two times. */
  readonly fromMs: number;
  readonly atMs: number;
  /** What came of it: a claim's state, "stored", "refused", "released", "answered", "failed", "error", or a status. */
  readonly result?: string | undefined;
}

/** An entry, and the process that wrote it. */
export interface ProcessEntry extends Entry {
  readonly process: string;
}

/** Opens the file of a process. */
export function openEntries(path: string): (entry: Entry) => void {
  const file = openSync(path, "a");
  return (entry) => void writeSync(file, `${JSON.stringify(entry)}\n`);
}

/** The entries of a process, without a last line that was cut. */
export function readEntries(path: string, process: string): ProcessEntry[] {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => ({ ...(JSON.parse(line) as Entry), process }));
}
