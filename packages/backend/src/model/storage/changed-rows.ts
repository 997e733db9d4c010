import type { RowChange } from "./store.ts";

/** What has changed in a row since the last commit. */
interface ChangedRow {
  readonly table: string;
  readonly key: string;
  /** Undefined for a row that is gone. */
  readonly value: object | undefined;
  /** Whether the row must be removed first, so that it moves to the end. */
  readonly moves: boolean;
}

/** The rows that have changed since the last commit. */
export class ChangedRows {
  readonly #rows = new Map<string, ChangedRow>();

  /** Notes that a row was added (no `before`), replaced, or removed (no `after`). */
  add(table: string, key: string, before: object | undefined, after: object | undefined): void {
    const id = `${table} ${key}`;
    const earlier = this.#rows.get(id);
    const isNew = before === undefined;
    // New rows are written in the order in which they were added.
    if (isNew) this.#rows.delete(id);
    this.#rows.set(id, { table, key, value: after, moves: earlier !== undefined && (isNew || earlier.moves) });
  }

  /** The changes for a store. */
  *list(): Generator<RowChange> {
    for (const { table, key, value, moves } of this.#rows.values()) {
      if (moves && value !== undefined) yield { table, key, text: undefined };
      yield { table, key, text: value === undefined ? undefined : JSON.stringify(value) };
    }
  }

  clear(): void {
    this.#rows.clear();
  }
}
