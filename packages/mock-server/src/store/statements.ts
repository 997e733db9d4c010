import type { DatabaseSync } from "node:sqlite";
import { type RowFacts, rowChecksum, type SandboxFacts, sandboxChecksum } from "./checksums.ts";
import { positionsPerSandbox } from "./migrations.ts";

/** A row of a sandbox with its place. */
type PlacedRow = Omit<RowFacts, "sandbox">;

export type Statements = ReturnType<typeof prepareStatements>;

/** The statements of a data file. Those that write a text write its checksum too. */
export function prepareStatements(database: DatabaseSync) {
  const position = `?1 * ${positionsPerSandbox} + ?2`;
  const ofSandbox = `position BETWEEN ?1 * ${positionsPerSandbox} AND (?1 + 1) * ${positionsPerSandbox} - 1`;
  const begin = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  const sandboxes = database.prepare("SELECT id, name, options, is_new AS isNew FROM sandboxes ORDER BY id");
  const addSandbox = database.prepare(
    "INSERT INTO sandboxes (id, name, options, is_new, checksum) VALUES (?, ?, ?, ?, ?)",
  );
  const markUsed = database.prepare("UPDATE sandboxes SET is_new = 0, checksum = ?2 WHERE id = ?1");
  const removeSandbox = database.prepare("DELETE FROM sandboxes WHERE id = ?");
  const removeRows = database.prepare(`DELETE FROM rows WHERE ${ofSandbox}`);
  const rows = database.prepare(
    `SELECT position % ${positionsPerSandbox} AS place, "table", key, text FROM rows WHERE ${ofSandbox} ORDER BY position`,
  );
  const addRow = database.prepare(
    `INSERT INTO rows (position, "table", key, text, checksum) VALUES (${position}, ?3, ?4, ?5, ?6)`,
  );
  const changeRow = database.prepare(`UPDATE rows SET text = ?3, checksum = ?4 WHERE position = ${position}`);
  const removeRow = database.prepare(`DELETE FROM rows WHERE position = ${position}`);
  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    sandboxes: () => sandboxes.all() as unknown as SandboxFacts[],
    addSandbox(sandbox: SandboxFacts) {
      const { id, name, options, isNew } = sandbox;
      addSandbox.run(id, name, options, isNew, sandboxChecksum(sandbox));
    },
    markUsed: (sandbox: SandboxFacts) => void markUsed.run(sandbox.id, sandboxChecksum({ ...sandbox, isNew: 0 })),
    removeSandbox({ id }: SandboxFacts) {
      removeRows.run(id);
      removeSandbox.run(id);
    },
    /** The rows of a sandbox in their order. */
    rows: ({ id }: SandboxFacts) => rows.iterate(id) as unknown as Iterable<PlacedRow>,
    addRow(row: RowFacts) {
      addRow.run(row.sandbox, row.place, row.table, row.key, row.text, rowChecksum(row));
    },
    changeRow(row: RowFacts) {
      changeRow.run(row.sandbox, row.place, row.text, rowChecksum(row));
    },
    removeRow: ({ sandbox, place }: Pick<RowFacts, "sandbox" | "place">) => void removeRow.run(sandbox, place),
  };
}
