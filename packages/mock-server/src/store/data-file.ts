import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type * as Sqlite from "node:sqlite";
import type { DatabaseSync } from "node:sqlite";
import * as zlib from "node:zlib";
import { damaged, explained, notADataFile, StoreError } from "./store-error.ts";

/** What tests set. */
export interface FileParts {
  /** The greatest size in pages, which stands for a full disk. */
  readonly maxPages?: number;
  /** Milliseconds since any moment, as real time passes. */
  readonly now?: () => number;
}

/** Marks a SQLite database as a data file of the mock server; "ctms" in ASCII. */
const applicationId = 0x63746d73;

/** The version of the tables below. A server refuses files of any other one. */
export const version = 1;

/** An index finds the rows. SQLite compares it with its table, so a checksum is only of what is not in the index. */
const tables = `
  CREATE TABLE sandboxes (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    options TEXT NOT NULL,
    is_new INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX sandbox_names ON sandboxes (name);
  CREATE TABLE sandbox_rows (
    place INTEGER PRIMARY KEY,
    sandbox INTEGER NOT NULL,
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (sandbox, owner, key)
  ) STRICT;
`;

/** The code of SQLite for a lock that another connection has. */
const busy = 5;

const smallestPage = 512;

/**
 * Loads `node:sqlite`, without the warning of Node 22 that the module is experimental. Throws StoreError if this version of Node
 * does not have it.
 */
export function loadSqlite(): typeof Sqlite {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning(warning, ...rest);
  }) as typeof emitWarning;
  try {
    // Not an import, so that older versions run everything else, and bundlers leave it alone.
    const sqlite = process.getBuiltinModule?.("node:sqlite");
    if (sqlite !== undefined) return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new StoreError(
    `A data file requires Node 22.13 or newer, and this is ${process.version}. Update Node, or keep the state in memory.`,
  );
}

/** The path of a file, without links: SQLite keeps its log beside the file that a link leads to. */
export function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** Where SQLite writes what is not in a file yet. */
const logOf = (path: string): string => `${path}-wal`;

/** Whether a killed server has left changes in the log, which SQLite moves into the file on closing. */
const isUnfinished = (path: string): boolean => (statSync(logOf(path), { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Opens a data file for this process alone, and creates it if it does not exist. Throws StoreError that says why a file cannot be
 * used, and has then left it unchanged.
 */
export function openDataFile(path: string, { maxPages }: FileParts): DatabaseSync {
  const { DatabaseSync: Database } = loadSqlite();
  try {
    if (existsSync(path)) checkExisting(path);
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
    else createFile(path, maxPages);
    // Closing after a refusal would move the log into a file to which it perhaps does not belong.
    if (isUnfinished(path)) readInPlace(path, (database) => checkFile(path, database));
    const database = new Database(path);
    try {
      database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
      checkFile(path, database);
      // A commit survives the process at once, and a power cut a little later: FULL would make each one wait for the disk.
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
      limit(database, maxPages);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw explained(error, path);
  }
}

/** Throws StoreError unless the file at the path is the one that this process has locked: only that one refuses to be read. */
export function expectInPlace(path: string): void {
  const log = logOf(path);
  try {
    if (existsSync(log)) readInPlace(path, (database) => pragma(database, "schema_version"));
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === busy) return;
  }
  throw new StoreError(
    `${path} or its log ${log} was removed, moved or replaced while the server runs, so nothing is stored any more. Put it back, or save the state with the command snapshot backup FILE, stop the server, and start it with the backup.`,
  );
}

/** A copy of all that is committed to a file, as the bytes of a data file. Throws StoreError. */
export function copyOf(path: string, database: DatabaseSync): Uint8Array<ArrayBuffer> {
  // Not beside the file if possible: its disk may be full, or its folder gone. A container may have no other place.
  const folder = [tmpdir(), dirname(path)].find(isWritable) ?? dirname(path);
  const copy = join(folder, `${crypto.randomUUID()}.copy`);
  try {
    writeFileSync(copy, "", { flag: "wx", mode: 0o600 });
    database.prepare("VACUUM INTO ?").run(copy);
    return readFileSync(copy);
  } catch (error) {
    throw explained(error, folder);
  } finally {
    rmSync(copy, { force: true });
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

/** Refuses a place at which a new file would take a log or replace a link. Throws StoreError. */
function checkFree(path: string): void {
  const log = logOf(path);
  if (isUnfinished(path))
    throw new StoreError(
      `${path} does not exist, but ${log} does, with changes that a killed server had stored. Put the file back beside it. To begin with a new file and without these changes, remove ${log}.`,
    );
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    throw new StoreError(`${path} is a link to a file that does not exist. Remove the link, or name another file.`);
}

/** Refuses what SQLite would take for a new file. Throws StoreError. */
function checkExisting(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) throw new StoreError(`${path} does not exist. Name a data file.`);
  if (!file.isFile()) throw new StoreError(`${path} is not a regular file. Name another one.`);
  if (file.size === 0)
    throw new StoreError(`${path} is empty. Remove it, and the server creates a new one, or name another file.`);
  if (file.size < smallestPage) throw new StoreError(notADataFile(path));
}

/** Checks what the file contains. Throws StoreError that says why it cannot be used. */
function checkFile(path: string, database: DatabaseSync): void {
  if (pragma(database, "application_id") !== applicationId)
    throw new StoreError(`${path} is a SQLite database of another program. Name another file.`);
  const found = pragma(database, "user_version");
  if (found !== version)
    throw new StoreError(
      `${path} has version ${found}, and this mock server reads version ${version}. Use the one that wrote it, or name another file.`,
    );
  const problem = pragma(database, "integrity_check(1)");
  if (problem !== "ok") throw new StoreError(damaged(path, String(problem).replace(/^\*\*\*.*\n/, "")));
  if (!areTextsIntact(database)) throw new StoreError(damaged(path, "a row is not as it was written"));
}

/** Whether all texts are as they were written: SQLite itself only checks the structure. */
function areTextsIntact(database: DatabaseSync): boolean {
  const texts = database.prepare(
    "SELECT is_new || options AS text, checksum FROM sandboxes UNION ALL SELECT text, checksum FROM sandbox_rows",
  );
  for (const { text, checksum } of texts.iterate()) if (zlib.crc32(String(text)) !== checksum) return false;
  return true;
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/** Reads a file that has a log, and leaves both as they are. */
function readInPlace<Result>(path: string, read: (database: DatabaseSync) => Result): Result {
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

/** Creates a file under another name, and renames it when it is complete, so that a kill never leaves a part of it. */
function createFile(path: string, maxPages: number | undefined): void {
  const { DatabaseSync: Database } = loadSqlite();
  checkFree(path);
  const temporary = `${path}.${crypto.randomUUID()}.new`;
  try {
    // It will contain credentials.
    writeFileSync(temporary, "", { flag: "wx", mode: 0o600 });
    const database = new Database(temporary);
    try {
      limit(database, maxPages);
      // Without the mode WAL, so that nothing is in a log, which would not be renamed.
      database.exec(
        `PRAGMA application_id = ${applicationId}; BEGIN; ${tables} PRAGMA user_version = ${version}; COMMIT`,
      );
    } finally {
      database.close();
    }
    putInPlace(temporary, path);
  } finally {
    for (const end of ["", "-journal"]) rmSync(temporary + end, { force: true });
  }
}

/** Gives a file another name, but does not replace one that has it by now. */
function putInPlace(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch {
    // It exists, or the file system has no hard links.
    if (!existsSync(path)) renameSync(temporary, path);
  }
}

function limit(database: DatabaseSync, maxPages: number | undefined): void {
  if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`);
}

/** Whether this user may create files in a folder. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
