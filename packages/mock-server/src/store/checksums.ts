import type { DatabaseSync } from "node:sqlite";
import * as zlib from "node:zlib";
import { positionsPerSandbox } from "./migrations.ts";

export interface SandboxFacts {
  readonly id: number;
  readonly name: string;
  readonly options: string;
  /** 1 until the first commit, then 0. */
  readonly isNew: number;
}

export interface RowFacts {
  readonly sandbox: number;
  /** Its place among the rows of the sandbox. */
  readonly place: number;
  readonly table: string;
  readonly key: string;
  readonly text: string;
}

export function sandboxChecksum({ id, name, options, isNew }: SandboxFacts): number {
  return zlib.crc32(options, zlib.crc32(`${id} ${isNew} ${name}\0`));
}

export function rowChecksum({ sandbox, place, table, key, text }: RowFacts): number {
  return zlib.crc32(text, zlib.crc32(`${sandbox} ${place} ${table}\0${key}\0`));
}

/** Whether all contents are as they were written. SQLite itself only checks the structure of a file. */
export function areContentsIntact(database: DatabaseSync): boolean {
  const sandboxes = database.prepare("SELECT id, name, options, is_new AS isNew, checksum FROM sandboxes");
  const rows = database.prepare(
    `SELECT position / ${positionsPerSandbox} AS sandbox, position % ${positionsPerSandbox} AS place,
      "table", key, text, checksum FROM rows`,
  );
  for (const one of sandboxes.iterate()) if (one.checksum !== sandboxChecksum(one as never)) return false;
  for (const one of rows.iterate()) if (one.checksum !== rowChecksum(one as never)) return false;
  return true;
}
