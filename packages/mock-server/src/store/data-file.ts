import { randomUUID } from "node:crypto";
import { existsSync, linkSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { areContentsIntact } from "./checksums.ts";
import { type Migration, migrations } from "./migrations.ts";
import { checkPlace, isUnfinished, logDamage } from "./place.ts";
import { putInPlace } from "./put-in-place.ts";
import { loadSqlite } from "./sqlite-module.ts";
import { damaged, explained, StoreError } from "./store-error.ts";

/** What tests replace. */
export interface FileParts {
  readonly migrations: readonly Migration[];
  /** The greatest size in pages, which stands for a full disk. */
  readonly maxPages?: number;
  /** Gives a file another name, unless that exists. */
  readonly link: (path: string, name: string) => void;
}

export const fileParts: FileParts = { migrations, link: linkSync };

/** The code of SQLite for a statement that does not fit the database. */
const logicError = 1;

/** Marks a SQLite database as a data file of the mock server; "ctms" in ASCII. */
const applicationId = 0x63746d73;

/**
 * Opens a data file for this process alone, and creates it if it does not exist. Converts a file of an older version, after a
 * backup. Throws StoreError that says why a file cannot be used, and has then left it unchanged.
 */
export function openDataFile(given: string, parts: FileParts): DatabaseSync {
  const { DatabaseSync: Database } = loadSqlite();
  const openWith: OpenWith = (name) => new Database(name);
  const path = realPath(given);
  checkPlace(path);
  try {
    if (!existsSync(path)) createFile(path, openWith, parts);
    if (isUnfinished(path)) checkUnfinished(path, parts.migrations.length);
    const database = openWith(path);
    try {
      database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
      // A locked file has no other user who could need it.
      rmSync(`${path}-shm`, { force: true });
      const version = checkFile(path, database, parts.migrations.length);
      // A commit survives the process at once, and a power cut a little later. The store itself moves the log into the file.
      database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 0",
      );
      limit(database, parts.maxPages);
      if (version < parts.migrations.length) convert(path, database, version, parts);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw explained(error, path);
  }
}

/** The path of a file, without links: SQLite keeps its other files beside the one that a link leads to. */
export function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** Checks a file with its unfinished changes, and leaves both as they are. */
function checkUnfinished(path: string, latest: number): void {
  readInPlace(path, (database) => {
    const damage = damageOfLog(path, database);
    if (damage !== undefined)
      throw new StoreError(
        `${damage}. Replace both files by a backup. To see and save the rest, start with --read-only, and use the command backup.`,
      );
    checkFile(path, database, latest);
  });
}

/** Reads a file that has a log, and leaves both as they are. */
export function readInPlace<Result>(path: string, read: (database: DatabaseSync) => Result): Result {
  const { DatabaseSync: Database } = loadSqlite();
  const index = `${path}-shm`;
  const had = existsSync(index);
  const database = new Database(path, { readOnly: true });
  try {
    return read(database);
  } finally {
    database.close();
    if (!had) rmSync(index, { force: true });
  }
}

export function damageOfLog(path: string, database: DatabaseSync): string | undefined {
  // Fails while another server uses the file and writes the log.
  pragma(database, "schema_version");
  return logDamage(path, Number(pragma(database, "page_size")));
}

type OpenWith = (path: string) => DatabaseSync;

/** Creates a file under another name, and renames it when it is complete, so that a kill never leaves a part of it. */
function createFile(path: string, openWith: OpenWith, { migrations, maxPages, link }: FileParts): void {
  const temporary = `${path}.${randomUUID()}.new`;
  try {
    // It will contain credentials.
    writeFileSync(temporary, "", { flag: "wx", mode: 0o600 });
    const database = openWith(temporary);
    try {
      limit(database, maxPages);
      database.exec(`PRAGMA application_id = ${applicationId}`);
      migrate(database, 0, migrations);
      // Last, so that nothing is in a second file, which would not be renamed.
      database.exec("PRAGMA journal_mode = WAL");
    } finally {
      database.close();
    }
    putInPlace(temporary, path, link);
  } finally {
    for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(temporary + end, { force: true });
  }
}

/** Checks what the file contains, and returns its version. Throws StoreError that says why it cannot be used. */
export function checkFile(path: string, database: DatabaseSync, latest: number): number {
  if (pragma(database, "application_id") !== applicationId)
    throw new StoreError(`${path} is a SQLite database of another program. Name another file.`);
  const version = Number(pragma(database, "user_version"));
  if (version > latest)
    throw new StoreError(
      `${path} has version ${version}, and this mock server reads up to version ${latest}. Update it, or name another file.`,
    );
  const problem = pragma(database, "quick_check(1)");
  if (problem !== "ok") throw new StoreError(damaged(path, String(problem).replace(/^\*\*\*.*\n/, "")));
  if (version === latest && !areContentsIntact(database))
    throw new StoreError(damaged(path, "a row is not as it was written"));
  return version;
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/** Writes a copy, which replaces an older one when it is complete. */
export function backUp(database: DatabaseSync, path: string): void {
  const temporary = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(temporary, "", { flag: "wx", mode: 0o600 });
    database.prepare("VACUUM INTO ?").run(temporary);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function limit(database: DatabaseSync, maxPages: number | undefined): void {
  if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
}

/** Converts a file of an older version, after a backup. Throws StoreError if its contents do not allow it. */
function convert(path: string, database: DatabaseSync, version: number, { migrations }: FileParts): void {
  backUp(database, `${path}.v${version}.bak`);
  try {
    migrate(database, version, migrations);
  } catch (error) {
    const { errcode = logicError, message } = error as Error & { readonly errcode?: number };
    if (errcode !== logicError) throw error;
    throw new StoreError(
      `${path} cannot be converted from version ${version} to ${migrations.length} (${message}), and is unchanged. Use the mock server that wrote it, or name another file.`,
      { cause: error },
    );
  }
}

function migrate(database: DatabaseSync, version: number, all: readonly Migration[]): void {
  database.exec("BEGIN EXCLUSIVE");
  try {
    for (const migration of all.slice(version)) migration(database);
    database.exec(`PRAGMA user_version = ${all.length}; COMMIT`);
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Ends a transaction that failed. After some errors, SQLite has already ended it. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // No transaction is left.
  }
}
