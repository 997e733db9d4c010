/** A record of a sandbox as a store keeps it. */
export interface StoredRow {
  /** What it belongs to, such as `groups` or `timers`. */
  readonly table: string;
  /** Unique in its table. Any well-formed text without U+0000. */
  readonly key: string;
  /** JSON. */
  readonly text: string;
}

/** A row to write in place of the one with its key, or, without a text, to remove. */
export interface RowChange extends Omit<StoredRow, "text"> {
  /** The row as JSON; undefined removes the row. */
  readonly text: string | undefined;
}

/** Keeps the state of one sandbox beyond the end of the process. Has one writer. */
export interface SandboxStore {
  /**
   * All rows; undefined before the first commit. A commit without changes counts. The rows of a table come in the order in
   * which their keys were written first, since they were last removed. Called again after each commit that threw; if it throws
   * then, the sandbox takes no change until it is opened anew.
   */
  load(): Iterable<StoredRow> | undefined;
  /**
   * Applies changes in their order, all or none. Once it returns, they survive the end of the process at any moment. Throws if
   * it cannot, and has then changed nothing.
   */
  commit(changes: readonly RowChange[]): void;
  /** Ends the use of the store; the rows stay. */
  close(): void;
}

/** A sandbox that is stored. */
export interface StoredSandbox {
  /** The name of the sandbox. */
  readonly name: string;
  /** The options it was created with, as JSON. */
  readonly options: string;
}

/** The stores of all sandboxes of a server. */
export interface SandboxStorage {
  /** Lists the sandboxes in the order of creation. */
  list(): readonly StoredSandbox[];
  /** Opens the store of a sandbox, and creates it with these options unless it exists. Those of an existing one stay. */
  open(name: string, options: string): SandboxStore;
  /** Copies all that is stored as one file, with which another server can start. Throws if it cannot. */
  copy?(): Uint8Array;
  /** Removes a sandbox with all its rows. Its store must be closed before. Does nothing for an unknown name. */
  delete(name: string): void;
  /** Ends the use of all stores. */
  close(): void;
}

/** The table of the facts, of which a sandbox has one each. */
export const factTable = "sandbox";

/** What a store held. The values have the form in which they were stored. */
export interface StoredState {
  /** The rows of a table, in the order of adding. */
  rows<Value>(table: string): readonly (readonly [key: string, value: Value])[];
  fact<Value>(name: string): Value | undefined;
}

/** Reads the rows of a store, and the texts of its facts by name. Throws an Error that names a row that is not JSON. */
export function readState(rows: Iterable<StoredRow>): { state: StoredState; factTexts: Map<string, string> } {
  const tables = new Map<string, [key: string, value: never][]>();
  const factTexts = new Map<string, string>();
  for (const { table, key, text } of rows) {
    if (table === factTable) factTexts.set(key, text);
    const found = tables.get(table);
    if (found === undefined) tables.set(table, [[key, parsed(table, key, text)]]);
    else found.push([key, parsed(table, key, text)]);
  }
  const state: StoredState = {
    rows: (table) => tables.get(table) ?? [],
    fact: (name) => tables.get(factTable)?.find(([key]) => key === name)?.[1],
  };
  return { state, factTexts };
}

function parsed(table: string, key: string, text: string): never {
  try {
    return JSON.parse(text) as never;
  } catch (error) {
    throw new Error(`The stored row ${key} of ${table} is not JSON. Restore the data from a backup.`, { cause: error });
  }
}
