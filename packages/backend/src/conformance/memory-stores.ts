import type { RowChange, SandboxStore, SandboxStores, StoredRow } from "../model/store.ts";

/** The texts of a sandbox by table and key; undefined before the first commit. */
interface Sandbox {
  readonly options: string;
  tables: Map<string, Map<string, string>> | undefined;
}

/**
 * Keeps sandboxes in memory, for tests of what uses a store. The rows stay after `close`, so calling `open` of the same object
 * again does what a restart does.
 */
export function memoryStores(): SandboxStores {
  const sandboxes = new Map<string, Sandbox>();
  return {
    list: () => [...sandboxes].map(([name, { options }]) => ({ name, options })),
    open(name, options) {
      const sandbox = sandboxes.get(name) ?? { options, tables: undefined };
      sandboxes.set(name, sandbox);
      return storeOf(sandbox);
    },
    delete: (name) => void sandboxes.delete(name),
    close() {},
  };
}

function storeOf(sandbox: Sandbox): SandboxStore {
  return {
    load: () => sandbox.tables && rowsOf(sandbox.tables),
    commit(changes) {
      sandbox.tables ??= new Map();
      for (const change of changes) apply(sandbox.tables, change);
    },
    close() {},
  };
}

function rowsOf(tables: ReadonlyMap<string, ReadonlyMap<string, string>>): StoredRow[] {
  return [...tables].flatMap(([table, texts]) => [...texts].map(([key, text]) => ({ table, key, text })));
}

/** A Map orders its keys as a store does: by the first write since the last removal. */
function apply(tables: Map<string, Map<string, string>>, { table, key, text }: RowChange): void {
  const texts = tables.get(table) ?? new Map<string, string>();
  tables.set(table, texts);
  if (text === undefined) texts.delete(key);
  else texts.set(key, text);
}
