/** A data file cannot be used or written. The message names the file, says what is wrong, and then what to do. */
export class StoreError extends Error {
  /** The name of the class. */
  override readonly name = "StoreError";
}

const full = (path: string): string => `${path} cannot grow: the disk is full. Free space on it, and try again.`;

export const notADataFile = (path: string): string =>
  `${path} is not a data file of the mock server. Name another file.`;

export const damaged = (path: string, finding: string): string =>
  `${path} is damaged (${finding}). Replace it by a backup, or name another file.`;

const unopened = (path: string): string =>
  `${path} cannot be opened or created. Name a file that this user can read and write, in a folder that exists and to which this user can write.`;

/** The messages by the result code of SQLite, https://sqlite.org/rescode.html, and by the code of a system error. */
const messages: Readonly<Record<string | number, (path: string, reason: string) => string>> = {
  5: (path) => `${path} is in use by another program, probably a mock server. Stop it, or name another file.`,
  8: (path) => `${path} or its folder is read-only. Make both writable, or name another file.`,
  10: (path, reason) => `${path} cannot be read or written (${reason}). Check its disk, or name another file.`,
  11: damaged,
  13: full,
  14: unopened,
  26: notADataFile,
  // The file that lists the changes of an unfinished one.
  4874: full,
  EACCES: unopened,
  ENOENT: unopened,
  ENOSPC: full,
  ENOTDIR: unopened,
  EROFS: unopened,
};

/** Turns an error of SQLite or of the system into one that says what to do. Other errors stay. */
export function explained(error: unknown, path: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const { code, errcode, message } = error as Error & { readonly code?: string; readonly errcode?: number };
  if (code === undefined) return error;
  // The lower bits are the primary code.
  const explain = errcode === undefined ? messages[code] : (messages[errcode] ?? messages[errcode & 0xff]);
  return new StoreError(explain?.(path, message) ?? `${path} cannot be used: ${message}.`, { cause: error });
}
