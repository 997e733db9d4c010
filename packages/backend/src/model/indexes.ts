import type { CallRecord, GroupRecord } from "./records.ts";

/** Records by id that keep an index of themselves. They are replaced, never changed in place. */
abstract class IndexedMap<Record> extends Map<string, Record> {
  /** Told of each record that goes, each that comes, and each that takes another's place. */
  protected abstract note(before: Record | undefined, after: Record | undefined): void;
  /** Told that all records go. */
  protected abstract forget(): void;

  override set(id: string, record: Record): this {
    const before = this.get(id);
    super.set(id, record);
    this.note(before, record);
    return this;
  }

  override delete(id: string): boolean {
    const before = this.get(id);
    if (before !== undefined) this.note(before, undefined);
    return super.delete(id);
  }

  override clear(): void {
    super.clear();
    this.forget();
  }
}

/** Groups by id, which are found by their names too. */
export class Groups extends IndexedMap<GroupRecord> {
  /** Accounts' groups by name. */
  readonly #byName = new Map<string, Map<string, GroupRecord>>();

  /** The account's group of this very name. */
  named(accountId: string, name: string): GroupRecord | undefined {
    return this.#byName.get(accountId)?.get(name);
  }

  protected override note(before: GroupRecord | undefined, after: GroupRecord | undefined): void {
    if (before !== undefined) this.#byName.get(before.accountId)?.delete(before.name);
    if (after === undefined) return;
    const named = this.#byName.get(after.accountId);
    if (named === undefined) this.#byName.set(after.accountId, new Map([[after.name, after]]));
    else named.set(after.name, after);
  }

  protected override forget(): void {
    this.#byName.clear();
  }
}

/** What a placement and the queue look at of one account's calls. */
export interface AccountCalls {
  /** Calls in the queue by id, first in first. */
  readonly waiting: ReadonlyMap<string, CallRecord>;
  /** Calls in progress by id. */
  readonly active: ReadonlyMap<string, CallRecord>;
  /** How many outbound calls were placed on each day, counted in days since the epoch. */
  readonly placedOn: ReadonlyMap<number, number>;
}

const dayMs = 86_400_000;

/** The day of a time in milliseconds, from midnight to midnight UTC, counted since the epoch. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

/** Calls by id in the order of placement, from which no placement has to search. */
export class Calls extends IndexedMap<CallRecord> {
  readonly #byAccount = new Map<
    string,
    { waiting: Map<string, CallRecord>; active: Map<string, CallRecord>; placedOn: Map<number, number> }
  >();

  of(accountId: string): AccountCalls {
    return this.#of(accountId);
  }

  protected override note(before: CallRecord | undefined, after: CallRecord | undefined): void {
    if (before !== undefined) {
      this.#count(before, -1);
      const { waiting, active } = this.#of(before.accountId);
      // A call that stays in the queue keeps its place.
      if (after?.status !== before.status || after.accountId !== before.accountId)
        for (const calls of [waiting, active]) calls.delete(before.id);
    }
    if (after === undefined) return;
    this.#count(after, 1);
    const { waiting, active } = this.#of(after.accountId);
    if (after.status === "in_progress") active.set(after.id, after);
    if (after.status !== "queued") return;
    const isBack = before !== undefined && !waiting.has(after.id);
    waiting.set(after.id, after);
    if (!isBack) return;
    // Whoever comes back to the queue stands where the order of placement says.
    waiting.clear();
    for (const call of this.values())
      if (call.status === "queued" && call.accountId === after.accountId) waiting.set(call.id, call);
  }

  protected override forget(): void {
    this.#byAccount.clear();
  }

  #of(accountId: string) {
    let calls = this.#byAccount.get(accountId);
    if (calls === undefined) {
      calls = { waiting: new Map(), active: new Map(), placedOn: new Map() };
      this.#byAccount.set(accountId, calls);
    }
    return calls;
  }

  #count({ accountId, direction, createdAt }: CallRecord, by: 1 | -1): void {
    if (direction !== "outbound") return;
    const { placedOn } = this.#of(accountId);
    const day = dayOf(createdAt);
    placedOn.set(day, (placedOn.get(day) ?? 0) + by);
  }
}
