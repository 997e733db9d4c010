import type * as Sqlite from "node:sqlite";
import { StoreError } from "./store-error.ts";

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
