import type { DatabaseSync } from "node:sqlite";
import * as zlib from "node:zlib";

/** Changes a data file from one version to the next. Runs in a transaction. */
export type Migration = (database: DatabaseSync) => void;

/**
 * Entry n changes a file from version n to n + 1. A new file goes through all of them. Only add to the end, because users have
 * files of each version.
 */
export const migrations: readonly Migration[] = [
  (database) =>
    database.exec(`
      CREATE TABLE sandboxes (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        options TEXT NOT NULL,
        is_new INTEGER NOT NULL,
        checksum INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE rows (
        position INTEGER PRIMARY KEY,
        "table" TEXT NOT NULL,
        key TEXT NOT NULL,
        text TEXT NOT NULL,
        checksum INTEGER NOT NULL
      ) STRICT;
    `),
  // An index finds the rows. SQLite compares it with its table, so a checksum is only of what is not in the index.
  (database) => {
    database.function("crc32", { deterministic: true }, (text) => zlib.crc32(String(text)));
    database.exec(`
      CREATE TABLE sandbox_rows (
        place INTEGER PRIMARY KEY,
        sandbox INTEGER NOT NULL,
        owner TEXT NOT NULL,
        key TEXT NOT NULL,
        text TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        UNIQUE (sandbox, owner, key)
      ) STRICT;
      INSERT INTO sandbox_rows (sandbox, owner, key, text, checksum)
        SELECT position / 1099511627776, "table", key, text, crc32(text) FROM rows ORDER BY position;
      DROP TABLE rows;
      CREATE UNIQUE INDEX sandbox_names ON sandboxes (name);
      UPDATE sandboxes SET checksum = crc32(is_new || options);
    `);
  },
];
