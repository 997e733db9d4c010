import type { DatabaseSync } from "node:sqlite";
import * as zlib from "node:zlib";
import type { SandboxStorage, SandboxStore, StoredRow } from "@call-transfer/backend";
import { elapsed } from "@call-transfer/backend/unstable";
import { copyOf, expectInPlace, type FileParts, openDataFile, realPath, rollBack, version } from "./data-file.ts";
import { explained, StoreError } from "./store-error.ts";

/** The stores of a data file, and what concerns the file as a whole. */
export interface DataFile extends SandboxStorage {
  /** Throws StoreError that says why changes cannot be stored. Tries it, if the latest change could not. */
  checkReady(): void;
}

interface Sandbox {
  readonly id: number;
  readonly name: string;
  readonly options: string;
  /** 1 until the first commit, then 0. */
  isNew: number;
}

/** How long changes go on after a file was removed or replaced, in milliseconds. A look at it takes as long as ten changes. */
const lookAfterMs = 1000;

/**
 * Keeps sandboxes in a SQLite file, which it creates if it does not exist. Requires Node 22.13 or newer. Throws StoreError that
 * says why the file cannot be used.
 */
export function openSqliteStores(given: string, parts: FileParts = {}): DataFile {
  const path = realPath(given);
  const database = openDataFile(path, parts);
  const statements = prepareStatements(database);
  const sandboxes = new Map(statements.sandboxes().map((sandbox) => [sandbox.name, sandbox]));
  let isOpen = true;
  let hasFailed = false;
  const { now = elapsed } = parts;
  let lookedAt = now();
  const look = (): void => {
    expectInPlace(path);
    lookedAt = now();
  };
  /** Commits all or nothing. */
  const change = <Result>(apply: () => Result): Result => {
    try {
      statements.begin.run();
      const result = apply();
      if (hasFailed || now() - lookedAt > lookAfterMs) look();
      statements.commit.run();
      hasFailed = false;
      return result;
    } catch (error) {
      rollBack(database);
      hasFailed = true;
      throw explained(error, path);
    }
  };
  const create = (name: string, options: string): Sandbox => {
    const { lastInsertRowid } = change(() => statements.addSandbox.run(name, options, zlib.crc32(`1${options}`)));
    const sandbox = { id: Number(lastInsertRowid), name, options, isNew: 1 };
    sandboxes.set(name, sandbox);
    return sandbox;
  };
  const openStore = (sandbox: Sandbox): SandboxStore => {
    const { id, name, options } = sandbox;
    let isStoreOpen = true;
    const expectOpen = (): void => {
      // Another sandbox may have the id of a deleted one.
      if (!isStoreOpen || sandboxes.get(name) !== sandbox)
        throw new StoreError(`The store of sandbox "${name}" is closed. Open it again.`);
    };
    return {
      load() {
        expectOpen();
        return sandbox.isNew ? undefined : statements.rows(id);
      },
      commit(changes) {
        expectOpen();
        if (changes.length === 0 && !sandbox.isNew) return;
        change(() => {
          if (sandbox.isNew) statements.markUsed.run(zlib.crc32(`0${options}`), id);
          for (const { table, key, text } of changes)
            if (text === undefined) statements.removeRow.run(id, table, key);
            else statements.writeRow.run(id, table, key, text, zlib.crc32(text));
        });
        sandbox.isNew = 0;
      },
      close() {
        isStoreOpen = false;
      },
    };
  };
  return {
    list: () => [...sandboxes.values()].map(({ name, options }) => ({ name, options })),
    open: (name, options) => openStore(sandboxes.get(name) ?? create(name, options)),
    delete(name) {
      const sandbox = sandboxes.get(name);
      if (sandbox === undefined) return;
      change(() => {
        statements.removeRows.run(sandbox.id);
        statements.removeSandbox.run(sandbox.id);
      });
      sandboxes.delete(name);
    },
    checkReady() {
      try {
        look();
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      // Writes a page, as a change does, and changes nothing.
      if (hasFailed) change(() => database.exec(`PRAGMA user_version = ${version}`));
    },
    copy: () => copyOf(path, database),
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

/** The statements of a data file. Those that write a text take its checksum too. */
function prepareStatements(database: DatabaseSync) {
  const rows = database.prepare(
    'SELECT owner AS "table", key, text FROM sandbox_rows WHERE sandbox = ? ORDER BY place',
  );
  return {
    begin: database.prepare("BEGIN"),
    commit: database.prepare("COMMIT"),
    sandboxes: () =>
      database
        .prepare("SELECT id, name, options, is_new AS isNew FROM sandboxes ORDER BY id")
        .all() as unknown as Sandbox[],
    addSandbox: database.prepare("INSERT INTO sandboxes (name, options, is_new, checksum) VALUES (?, ?, 1, ?)"),
    markUsed: database.prepare("UPDATE sandboxes SET is_new = 0, checksum = ? WHERE id = ?"),
    removeSandbox: database.prepare("DELETE FROM sandboxes WHERE id = ?"),
    removeRows: database.prepare("DELETE FROM sandbox_rows WHERE sandbox = ?"),
    /** The rows of a sandbox in their order. */
    rows: (id: number) => rows.all(id) as unknown as StoredRow[],
    writeRow: database.prepare(
      `INSERT INTO sandbox_rows (sandbox, owner, key, text, checksum) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET text = excluded.text, checksum = excluded.checksum`,
    ),
    removeRow: database.prepare("DELETE FROM sandbox_rows WHERE sandbox = ? AND owner = ? AND key = ?"),
  };
}
