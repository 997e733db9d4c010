import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type RowFacts, rowChecksum, type SandboxFacts, sandboxChecksum } from "./checksums.ts";
import { migrations, positionsPerSandbox } from "./migrations.ts";

type PlacedRow = Omit<RowFacts, "sandbox">;

/**
 * Prepares a statement for `run()`, which returns the position that was inserted last, whatever the statement does. From the
 * 8,192nd sandbox on, that is no safe integer, and Node 26 throws unless it may be a bigint.
 */
function prepareChange(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

export type Statements = ReturnType<typeof prepareStatements>;

/** The statements of a data file. Those that write a text write its checksum too. */
export function prepareStatements(database: DatabaseSync) {
  // Node passes numbers as floating-point numbers, whose products would not be exact. Its version 22.13 knows no numbered parameters.
  const first = `CAST(? AS INTEGER) * ${positionsPerSandbox}`;
  const position = `${first} + CAST(? AS INTEGER)`;
  const ofSandbox = `position BETWEEN ${first} AND ${first} - 1`;
  const begin = prepareChange(database, "BEGIN");
  const commit = prepareChange(database, "COMMIT");
  const sandboxes = database.prepare("SELECT id, name, options, is_new AS isNew FROM sandboxes ORDER BY id");
  const addSandbox = prepareChange(
    database,
    "INSERT INTO sandboxes (id, name, options, is_new, checksum) VALUES (?, ?, ?, ?, ?)",
  );
  const markUsed = prepareChange(database, "UPDATE sandboxes SET is_new = 0, checksum = ? WHERE id = ?");
  const removeSandbox = prepareChange(database, "DELETE FROM sandboxes WHERE id = ?");
  const removeRows = prepareChange(database, `DELETE FROM rows WHERE ${ofSandbox}`);
  const rows = database.prepare(
    `SELECT position % ${positionsPerSandbox} AS place, "table", key, text FROM rows WHERE ${ofSandbox} ORDER BY position`,
  );
  const addRow = prepareChange(
    database,
    `INSERT INTO rows (position, "table", key, text, checksum) VALUES (${position}, ?, ?, ?, ?)`,
  );
  const changeRow = prepareChange(database, `UPDATE rows SET text = ?, checksum = ? WHERE position = ${position}`);
  const removeRow = prepareChange(database, `DELETE FROM rows WHERE position = ${position}`);
  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    /** Writes a page, as a change does, and changes nothing. */
    touch: () => database.exec(`PRAGMA user_version = ${migrations.length}`),
    sandboxes: () => sandboxes.all() as unknown as SandboxFacts[],
    addSandbox(sandbox: SandboxFacts) {
      const { id, name, options, isNew } = sandbox;
      addSandbox.run(id, name, options, isNew, sandboxChecksum(sandbox));
    },
    markUsed: (sandbox: SandboxFacts) => void markUsed.run(sandboxChecksum({ ...sandbox, isNew: 0 }), sandbox.id),
    removeSandbox({ id }: SandboxFacts) {
      removeRows.run(id, id + 1);
      removeSandbox.run(id);
    },
    /** The rows of a sandbox in their order. */
    rows: ({ id }: SandboxFacts) => rows.iterate(id, id + 1) as unknown as Iterable<PlacedRow>,
    addRow(row: RowFacts) {
      addRow.run(row.sandbox, row.place, row.table, row.key, row.text, rowChecksum(row));
    },
    changeRow(row: RowFacts) {
      changeRow.run(row.text, rowChecksum(row), row.sandbox, row.place);
    },
    removeRow: ({ sandbox, place }: Pick<RowFacts, "sandbox" | "place">) => void removeRow.run(sandbox, place),
  };
}
