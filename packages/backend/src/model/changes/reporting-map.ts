import type { NotedRecord } from "../storage/changed-rows.ts";

/** Notes changes of records. One that is removed is noted while it is still there. */
export interface RecordWatch {
  record(change: NotedRecord): void;
}

/** Records by key that report each change. A subclass can have an index that follows each of them. */
export class ReportingMap<Item extends object> extends Map<string, Item> {
  readonly #collection: string;
  readonly #watch: RecordWatch | undefined;

  constructor(collection = "", watch?: RecordWatch) {
    super();
    this.#collection = collection;
    this.#watch = watch;
  }

  override set(key: string, item: Item): this {
    const before = this.get(key);
    super.set(key, item);
    this.reindex(before, item);
    this.#watch?.record({ collection: this.#collection, key, before, after: item });
    return this;
  }

  override delete(key: string): boolean {
    const before = this.get(key);
    if (before !== undefined) {
      this.reindex(before, undefined);
      this.#watch?.record({ collection: this.#collection, key, before, next: keyAfter(this, key) });
    }
    return super.delete(key);
  }

  override clear(): void {
    // The last first, so that none has another behind it.
    const removed = [...this].reverse();
    super.clear();
    for (const [key, before] of removed) this.#watch?.record({ collection: this.#collection, key, before });
    this.clearIndex();
  }

  /** Updates the index for a record that was added (no `before`), was replaced, or is about to be removed (no `after`). */
  protected reindex(_before: Item | undefined, _after: Item | undefined): void {}

  /** Clears the index. */
  protected clearIndex(): void {}
}

/** The key that follows another one; undefined for the last. */
function keyAfter(records: ReadonlyMap<string, unknown>, key: string): string | undefined {
  const keys = records.keys();
  for (const one of keys) if (one === key) return keys.next().value;
  return undefined;
}
