import type { DatabaseSync } from "node:sqlite";

/** Changes a data file from one version to the next. Runs in a transaction. */
export type Migration = (database: DatabaseSync) => void;

/** The factor between the id of a sandbox and the positions of its rows; 2^40. */
export const positionsPerSandbox = 1_099_511_627_776;

/**
 * Entry n changes a file from version n to n + 1. A new file goes through all of them. Only add to the end, because users have
 * files of each version.
 *
 * The position of a row is the id of its sandbox times {@link positionsPerSandbox}, plus a number that grows with each new row.
 * So the rows of a sandbox stand together and in their order without an index, which each commit would have to write.
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
];
