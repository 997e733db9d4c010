import type { RowChange } from "./store.ts";

/** A record that was added (no `before`), replaced, or removed (no `after`, with the key of the one behind it). */
export interface NotedRecord {
  readonly collection: string;
  readonly key: string;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
  readonly next?: string | undefined;
}

/** What has changed in a row since the last commit. */
interface ChangedRow {
  readonly table: string;
  readonly key: string;
  /** What the store holds; undefined for no row. */
  readonly stored: object | undefined;
  /** Undefined for a row that is gone. */
  readonly value: object | undefined;
  /** The first removal of the stored row; if it is there again, it has moved to the end. */
  readonly removal: Removal | undefined;
}

interface Removal {
  /** Counts removals. */
  readonly order: number;
  /** The key of the stored row behind it. */
  readonly next: string | undefined;
}

/** What undoes the changes of a table. */
export interface Undo {
  /** The keys of rows that the store does not hold, or holds at another place. */
  readonly surplus: readonly string[];
  /** The rows that were replaced, as the store holds them. */
  readonly replaced: readonly (readonly [key: string, value: object])[];
  /** The rows that were removed, the latest first, each with the stored row behind it; undefined for the last one. */
  readonly removed: readonly { readonly key: string; readonly value: object; readonly next: string | undefined }[];
}

/** The rows that have changed since the last commit. */
export class ChangedRows {
  readonly #rows = new Map<string, ChangedRow>();
  #removals = 0;

  add({ collection: table, key, before, after, next }: NotedRecord): void {
    const id = idOf(table, key);
    const earlier = this.#rows.get(id);
    const stored = earlier === undefined ? before : earlier.stored;
    // New rows are written in the order in which they were added.
    if (before === undefined || (stored === undefined && after === undefined)) this.#rows.delete(id);
    if (stored === undefined && after === undefined) return;
    const removal = earlier?.removal ?? (after === undefined ? this.#removal(table, next) : undefined);
    this.#rows.set(id, { table, key, stored, value: after, removal });
  }

  /** The changes for a store. */
  *list(): Generator<RowChange> {
    for (const { table, key, value, removal } of this.#rows.values()) {
      if (removal !== undefined && value !== undefined) yield { table, key, text: undefined };
      yield { table, key, text: value === undefined ? undefined : JSON.stringify(value) };
    }
  }

  clear(): void {
    this.#rows.clear();
  }

  /** Forgets the changes of all tables but these, and returns what undoes them, by table. */
  undo(kept: ReadonlySet<string>): ReadonlyMap<string, Undo> {
    const tables = new Map<string, ReturnType<typeof nothing>>();
    for (const [id, { table, key, stored, value, removal }] of this.#rows) {
      if (kept.has(table)) continue;
      this.#rows.delete(id);
      const undo = tables.get(table) ?? nothing();
      tables.set(table, undo);
      if (value !== undefined && (stored === undefined || removal !== undefined)) undo.surplus.push(key);
      if (stored === undefined) continue;
      if (removal === undefined) undo.replaced.push([key, stored]);
      else undo.removed.push({ key, value: stored, ...removal });
    }
    for (const { removed } of tables.values()) removed.sort((one, other) => other.order - one.order);
    return tables;
  }

  /** A row that is new, or has moved to the end, stands behind all stored ones. */
  #removal(table: string, next: string | undefined): Removal {
    const behind = next === undefined ? undefined : this.#rows.get(idOf(table, next));
    const isStored = behind === undefined || (behind.stored !== undefined && behind.removal === undefined);
    this.#removals += 1;
    return { order: this.#removals, next: isStored ? next : undefined };
  }
}

const idOf = (table: string, key: string): string => `${table} ${key}`;

const nothing = () => ({
  surplus: [] as string[],
  replaced: [] as (readonly [string, object])[],
  removed: [] as (Undo["removed"][number] & Removal)[],
});

/** Undoes the changes of records. Those of a table that lost none change where they are. */
export function undoRecords(records: Map<string, object>, { surplus, replaced, removed }: Undo): void {
  for (const key of surplus) records.delete(key);
  for (const [key, value] of replaced) records.set(key, value);
  if (removed.length === 0) return;
  /** The removed rows by the key of the row behind them, the first removed first. */
  const gone = new Map<string | undefined, Undo["removed"][number][]>();
  for (const row of [...removed].reverse()) {
    const before = gone.get(row.next);
    if (before === undefined) gone.set(row.next, [row]);
    else before.push(row);
  }
  const present = [...records];
  records.clear();
  /** What is to come, the first at the end; the end itself has no key. */
  const coming: (readonly [key?: string, value?: object])[] = [[], ...present.reverse()];
  for (let last = coming.at(-1); last !== undefined; last = coming.at(-1)) {
    const [key, value] = last;
    const before = gone.get(key);
    if (before === undefined) {
      coming.pop();
      if (key !== undefined && value !== undefined) records.set(key, value);
    } else {
      gone.delete(key);
      for (const row of before) coming.push([row.key, row.value]);
    }
  }
}
