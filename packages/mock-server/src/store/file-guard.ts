import { type Stats, statSync } from "node:fs";
import { StoreError } from "./store-error.ts";

/** Where SQLite writes what is not in a file yet. */
export const logOf = (path: string): string => `${path}-wal`;

/** Knows whether a data file and its log are still those that were opened. SQLite writes on into a file without a name. */
export class FileGuard {
  readonly #path: string;
  readonly #file: Stats | undefined;
  #log: Stats | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#file = statOf(path);
    this.#log = statOf(logOf(path));
  }

  /** Throws StoreError if the file or its log was removed, moved or replaced. Returns the size of the log in bytes. */
  check(): number {
    const log = statOf(logOf(this.#path));
    // SQLite creates it with the first commit.
    this.#log ??= log;
    if (!isSame(statOf(this.#path), this.#file)) throw new StoreError(gone(this.#path));
    if (!isSame(log, this.#log)) throw new StoreError(gone(logOf(this.#path)));
    return log?.size ?? 0;
  }
}

const gone = (path: string): string =>
  `${path} was removed, moved or replaced while the server runs, so nothing is stored any more. Put it back, or save the state with the command backup, stop the server, and start it with the backup.`;

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return one?.ino === other?.ino && one?.dev === other?.dev;
}
