/**
 * Called after a record was added (no `before`) or replaced, and when one is removed (no `after`): before it is gone, unless all
 * are. `next` is the key behind a removed one.
 */
export type ChangeReport<Item> = (
  key: string,
  before: Item | undefined,
  after: Item | undefined,
  next?: string,
) => void;

/** Records by key that report each change. */
export class ReportingMap<Item> extends Map<string, Item> {
  readonly #report: ChangeReport<Item>;

  constructor(report: ChangeReport<Item> = () => {}) {
    super();
    this.#report = report;
  }

  override set(key: string, record: Item): this {
    const before = this.get(key);
    super.set(key, record);
    this.changed(key, before, record);
    return this;
  }

  override delete(key: string): boolean {
    const before = this.get(key);
    if (before !== undefined) this.changed(key, before, undefined);
    return super.delete(key);
  }

  override clear(): void {
    const removed = [...this];
    super.clear();
    for (const [key, before] of removed) this.#report(key, before, undefined);
  }

  protected changed(key: string, before: Item | undefined, after: Item | undefined): void {
    this.#report(key, before, after, after === undefined ? this.#keyAfter(key) : undefined);
  }

  /** The key that follows another one; undefined for the last. */
  #keyAfter(key: string): string | undefined {
    const keys = this.keys();
    for (const one of keys) if (one === key) return keys.next().value;
    return undefined;
  }
}
