import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { backUp, checkFile, damageOfLog, type FileParts, readInPlace, realPath } from "./data-file.ts";
import { logOf } from "./file-guard.ts";
import { checkReadable, isWritable } from "./place.ts";
import { explained, StoreError } from "./store-error.ts";

/**
 * Reads a data file with its unfinished changes, and leaves all files as they are. Throws StoreError that says why it cannot be
 * used. `damage` says what of its log could not be read.
 */
export function readDataFile<Result>(
  given: string,
  { migrations }: FileParts,
  read: (database: DatabaseSync) => Result,
): { readonly result: Result; readonly damage: string | undefined } {
  const path = realPath(given);
  checkReadable(path);
  const log = logOf(path);
  const readFrom = (file: string) => {
    try {
      return readInPlace(file, (database) => {
        const damage = damageOfLog(file, database)?.replaceAll(file, path);
        if (checkFile(path, database, migrations.length) < migrations.length)
          throw new StoreError(`${path} has an older version. Start once without --read-only, which converts it.`);
        return { result: read(database), damage };
      });
    } catch (error) {
      throw explained(error, path);
    }
  };
  // SQLite would create a log, and a file that is in use has one.
  if (existsSync(log) && isWritable(dirname(path))) return readFrom(path);
  return inFolder(path, (folder) => {
    const copy = join(folder, "read.db");
    copyFileSync(path, copy);
    if (existsSync(log)) copyFileSync(log, logOf(copy));
    return readFrom(copy);
  });
}

/** A copy of all that is committed to a file, as the bytes of a data file. Throws StoreError. */
export function copyOf(path: string, database: DatabaseSync): Uint8Array<ArrayBuffer> {
  return inFolder(path, (folder) => {
    const file = join(folder, "copy.db");
    backUp(database, file);
    return readFileSync(file);
  });
}

/** Runs a task with a folder of its own for other files. Throws StoreError if they cannot be written there. */
function inFolder<Result>(path: string, task: (folder: string) => Result): Result {
  // A container may have no other place to write to than that of its data.
  const parent = isWritable(tmpdir()) ? tmpdir() : dirname(path);
  const folder = mkdtempSync(join(parent, "call-transfer-data-"));
  try {
    return task(folder);
  } catch (error) {
    throw explained(error, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
