import type { RowChange, SandboxStore, StoredRow } from "@call-transfer/backend";
import { fileParts, realPath } from "./data-file.ts";
import { copyOf, readDataFile } from "./read-data-file.ts";
import type { DataFile } from "./sqlite.ts";
import { prepareStatements } from "./statements.ts";
import { StoreError } from "./store-error.ts";

/** What a data file held, without any use of it. `damage` says what of its log could not be read. */
export interface ReadFile {
  readonly file: DataFile;
  readonly damage: string | undefined;
}

/**
 * Reads a data file, and leaves all as it is. The stores take no changes. Throws StoreError that says why the file cannot be
 * read.
 */
export function readSqliteStores(given: string, parts = fileParts): ReadFile {
  const { result, damage } = readDataFile(given, parts, (database) => {
    const statements = prepareStatements(database);
    const sandboxes = statements.sandboxes().map((facts) => {
      const rows = facts.isNew ? undefined : [...statements.rows(facts)];
      return [facts.name, { options: facts.options, rows }] as const;
    });
    return { sandboxes: new Map(sandboxes), copy: copyOf(realPath(given), database) };
  });
  const { sandboxes, copy } = result;
  const refuse = (): never => {
    throw new StoreError(
      `${realPath(given)} was opened for reading only. Start without --read-only to change anything.`,
    );
  };
  const storeOf = (rows: readonly StoredRow[] | undefined): SandboxStore => ({
    isReadOnly: true,
    load: () => rows,
    commit: (changes: readonly RowChange[]) => void (changes.length > 0 && refuse()),
    close() {},
  });
  const file: DataFile = {
    list: () => [...sandboxes].map(([name, { options }]) => ({ name, options })),
    open(name) {
      const sandbox = sandboxes.get(name);
      return sandbox?.rows === undefined ? refuse() : storeOf(sandbox.rows);
    },
    delete: (name) => void (sandboxes.has(name) && refuse()),
    copy: () => copy,
    checkReady() {},
    close() {},
  };
  return { file, damage };
}
