import type { SandboxStores } from "@call-transfer/backend";
import { fileParts, openDataFile, realPath, rollBack } from "./data-file.ts";
import { FileGuard } from "./file-guard.ts";
import { copyOf } from "./read-data-file.ts";
import { type OpenSandbox, openStore } from "./sqlite-store.ts";
import { prepareStatements } from "./statements.ts";
import { explained } from "./store-error.ts";

/** The stores of a data file, and what concerns the file as a whole. */
export interface DataFile extends SandboxStores {
  /** Throws StoreError that says why changes cannot be stored. Tries it, if the latest change could not. */
  checkReady(): void;
}

/** The size of the log from which it is moved into the file, in bytes: about a thousand pages. */
const longLogBytes = 4_000_000;

/**
 * Keeps sandboxes in a SQLite file, which it creates if it does not exist. Requires Node 22.13 or newer. Throws StoreError that
 * says why the file cannot be used.
 */
export function openSqliteStores(given: string, parts = fileParts): DataFile {
  const database = openDataFile(given, parts);
  const path = realPath(given);
  const guard = new FileGuard(path);
  const statements = prepareStatements(database);
  const sandboxes = new Map<string, OpenSandbox>();
  let isOpen = true;
  let lastId = 0;
  for (const facts of statements.sandboxes()) {
    sandboxes.set(facts.name, { facts, isDeleted: false });
    lastId = facts.id;
  }
  const changes = changesOf(database, statements, guard, path);
  const { change } = changes;
  const create = (name: string, options: string): OpenSandbox => {
    const facts = { id: lastId + 1, name, options, isNew: 1 };
    change(() => statements.addSandbox(facts));
    lastId = facts.id;
    const sandbox = { facts, isDeleted: false };
    sandboxes.set(name, sandbox);
    return sandbox;
  };
  return {
    list: () => [...sandboxes.values()].map(({ facts: { name, options } }) => ({ name, options })),
    open: (name, options) => openStore(sandboxes.get(name) ?? create(name, options), statements, change),
    delete(name) {
      const sandbox = sandboxes.get(name);
      if (sandbox === undefined) return;
      change(() => statements.removeSandbox(sandbox.facts));
      sandboxes.delete(name);
      sandbox.isDeleted = true;
    },
    checkReady() {
      if (changes.hasFailed()) change(statements.touch);
      else guard.check();
    },
    copy: () => copyOf(path, database),
    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

/** Commits changes all or nothing, and moves a long log into the file. */
function changesOf(
  database: Parameters<typeof rollBack>[0],
  statements: ReturnType<typeof prepareStatements>,
  guard: FileGuard,
  path: string,
) {
  let hasFailed = false;
  /** The size of the log at which it is moved into the file. */
  let mostLogBytes = longLogBytes;
  const shortenLog = (): void => {
    try {
      // To nothing: what a kill cuts off is then at the end of the log, and any other frame that does not fit is damage.
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      mostLogBytes = guard.check() + longLogBytes;
    } catch {
      // As on a full disk. The changes are in the log, and a later commit tries again.
      mostLogBytes += longLogBytes;
    }
  };
  const change = (apply: () => void): void => {
    let logBytes: number;
    try {
      statements.begin();
      apply();
      logBytes = guard.check();
      statements.commit();
    } catch (error) {
      rollBack(database);
      hasFailed = true;
      throw explained(error, path);
    }
    hasFailed = false;
    if (logBytes > mostLogBytes) shortenLog();
  };
  return { change, hasFailed: () => hasFailed };
}
