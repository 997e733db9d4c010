import type { BackendOptions, RowChange, SandboxStore, StoredRow } from "@call-transfer/backend";
import type { ObjectStorage } from "./platform.ts";

/**
 * The longest text of a row, in UTF-16 code units: a row of a Durable Object ends at 2 MB, and a code unit takes up to three
 * bytes there.
 */
const longestPart = 500_000;

/** Keeps rows in a table of a Durable Object. A text that is too long for a row is kept in several. */
export class SqlStore implements SandboxStore {
  readonly #storage: ObjectStorage;
  readonly #table: string;
  /** The place of the next new row; undefined before the first use. */
  #next: number | undefined;

  /** `table` is the name of the database's table, in letters. */
  constructor(storage: ObjectStorage, table: string) {
    this.#storage = storage;
    this.#table = table;
  }

  load(): Iterable<StoredRow> | undefined {
    return this.#exists() ? this.#rows() : undefined;
  }

  commit(changes: readonly RowChange[]): void {
    try {
      this.#storage.transactionSync(() => {
        const first = this.#next ?? this.#prepare();
        this.#next = changes.reduce((next, change) => this.#apply(change, next), first);
      });
    } catch (error) {
      this.#next = undefined;
      throw error;
    }
  }

  close(): void {}

  #exec(query: string, ...values: (string | number)[]) {
    return [...this.#storage.sql.exec(query.replaceAll("{table}", this.#table), ...values)];
  }

  #exists(): boolean {
    return this.#exec("select 1 from sqlite_master where type = 'table' and name = ?", this.#table).length > 0;
  }

  *#rows(): Generator<StoredRow> {
    const cursor = this.#storage.sql.exec(`select owner, key, part, text from ${this.#table} order by place, part`);
    let row: { table: string; key: string; text: string } | undefined;
    for (const { owner, key, part, text } of cursor) {
      if (part !== 0 && row !== undefined) {
        row.text += String(text);
        continue;
      }
      if (row !== undefined) yield row;
      row = { table: String(owner), key: String(key), text: String(text) };
    }
    if (row !== undefined) yield row;
  }

  /** Creates the table unless it exists, and returns the place of the next new row. */
  #prepare(): number {
    // Without row ids, so that a row with its index counts as one row written and not as two.
    this.#exec(`create table if not exists {table} (
      owner text not null, key text not null, part integer not null, place integer not null, text text not null,
      primary key (owner, key, part)
    ) without rowid`);
    return Number(this.#exec("select coalesce(max(place), 0) + 1 as next from {table}")[0]?.next);
  }

  /** Applies a change. Returns the place of the next new row. */
  #apply({ table, key, text }: RowChange, next: number): number {
    if (text === undefined) {
      this.#exec("delete from {table} where owner = ? and key = ?", table, key);
      return next;
    }
    const [first = "", ...others] = partsOf(text);
    const place = this.#write(table, key, 0, next, first);
    for (const [index, part] of others.entries()) this.#write(table, key, index + 1, place, part);
    this.#exec("delete from {table} where owner = ? and key = ? and part > ?", table, key, others.length);
    return place === next ? next + 1 : next;
  }

  /** Writes a part of a row. Returns the row's place, which stays when the row is written again. */
  #write(table: string, key: string, part: number, place: number, text: string): number {
    const [written] = this.#exec(
      `insert into {table} (owner, key, part, place, text) values (?, ?, ?, ?, ?)
      on conflict (owner, key, part) do update set text = excluded.text returning place`,
      ...[table, key, part, place, text],
    );
    return Number(written?.place);
  }
}

/** Cuts a text into parts that fit a row, and never a character in two. */
function partsOf(text: string): string[] {
  if (text.length <= longestPart) return [text];
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + longestPart;
    const isCut = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    parts.push(text.slice(start, isCut ? end - 1 : end));
    start = isCut ? end - 1 : end;
  }
  return parts;
}

/** What an object stores of its sandbox besides the sandbox's state. */
export interface Facts {
  readonly name: string;
  readonly options: BackendOptions;
  /** When it was last used, in milliseconds since the epoch. */
  readonly usedAt: number;
}

const table = "object";

/** Reads the facts; undefined if the object has no sandbox. */
export function readFacts(storage: ObjectStorage): Facts | undefined {
  const rows = new SqlStore(storage, table).load();
  if (rows === undefined) return undefined;
  return Object.fromEntries([...rows].map(({ key, text }) => [key, JSON.parse(text)])) as unknown as Facts;
}

export function writeFacts(storage: ObjectStorage, facts: Partial<Facts>): void {
  const changes = Object.entries(facts).map(([key, value]) => ({ table, key, text: JSON.stringify(value) }));
  new SqlStore(storage, table).commit(changes);
}
