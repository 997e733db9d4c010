/**
 * Called after a record was added (no `before`) or replaced, and when one is removed (no `after`): before it is gone, unless all
 * are.
 */
export type ChangeReport<Record> = (key: string, before: Record | undefined, after: Record | undefined) => void;

/** Records by key that report each change. */
export class ReportingMap<Record> extends Map<string, Record> {
  readonly #report: ChangeReport<Record>;

  constructor(report: ChangeReport<Record> = () => {}) {
    super();
    this.#report = report;
  }

  override set(key: string, record: Record): this {
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

  protected changed(key: string, before: Record | undefined, after: Record | undefined): void {
    this.#report(key, before, after);
  }
}
