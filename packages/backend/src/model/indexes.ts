import type { CallRecord, GroupRecord, MemberRecord } from "./records.ts";
import type { NotedRecord } from "./state-writer.ts";

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
      this.#watch?.record({ collection: this.#collection, key, before });
    }
    return super.delete(key);
  }

  override clear(): void {
    const removed = [...this];
    super.clear();
    for (const [key, before] of removed) this.#watch?.record({ collection: this.#collection, key, before });
    this.clearIndex();
  }

  /** Updates the index for a record that was added (no `before`), was replaced, or is about to be removed (no `after`). */
  protected reindex(_before: Item | undefined, _after: Item | undefined): void {}

  /** Clears the index. */
  protected clearIndex(): void {}
}

/** Groups by id, with an index by name. */
export class Groups extends ReportingMap<GroupRecord> {
  /** By account, then by name. */
  readonly #byName = new Map<string, Map<string, GroupRecord>>();

  /** The account's group of this exact name. */
  named(accountId: string, name: string): GroupRecord | undefined {
    return this.#byName.get(accountId)?.get(name);
  }

  protected override reindex(before: GroupRecord | undefined, after: GroupRecord | undefined): void {
    const of = before && this.#byName.get(before.accountId);
    // Untyped code may have given another group the name.
    if (before !== undefined && of?.get(before.name)?.id === before.id) of.delete(before.name);
    if (after === undefined) return;
    const named = this.#byName.get(after.accountId);
    if (named === undefined) this.#byName.set(after.accountId, new Map([[after.name, after]]));
    else named.set(after.name, after);
  }

  protected override clearIndex(): void {
    this.#byName.clear();
  }
}

/** Members by id, with an index by account and user. */
export class Members extends ReportingMap<MemberRecord> {
  readonly #idsByMembership = new Map<string, string>();

  /** The user's membership in an account. */
  of(accountId: string, userId: string): MemberRecord | undefined {
    return this.get(this.#idsByMembership.get(membership({ accountId, userId })) ?? "");
  }

  protected override reindex(before: MemberRecord | undefined, after: MemberRecord | undefined): void {
    // Most changes are of the availability.
    if (before?.accountId === after?.accountId && before?.userId === after?.userId) return;
    if (before !== undefined && this.#idsByMembership.get(membership(before)) === before.id)
      this.#idsByMembership.delete(membership(before));
    if (after !== undefined) this.#idsByMembership.set(membership(after), after.id);
  }

  protected override clearIndex(): void {
    this.#idsByMembership.clear();
  }
}

/** A text for a user's membership in an account, of which there is one at most. */
export function membership({ accountId, userId }: Pick<MemberRecord, "accountId" | "userId">): string {
  return `${accountId} ${userId}`;
}

/** The calls of one account, as a placement and the queue need them. */
export interface AccountCalls {
  /** Queued calls by id, in the order of the queue. */
  readonly waiting: ReadonlyMap<string, CallRecord>;
  /** Calls in progress by id. */
  readonly active: ReadonlyMap<string, CallRecord>;
  /** The number of outbound calls placed on each day, by days since the epoch. */
  readonly placedOn: ReadonlyMap<number, number>;
}

const dayMs = 86_400_000;

/** Days since the epoch, in UTC, of a time in milliseconds. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

/** Calls by id in the order of placement, with an index by account that spares each placement a search. */
export class Calls extends ReportingMap<CallRecord> {
  readonly #byAccount = new Map<
    string,
    { waiting: Map<string, CallRecord>; active: Map<string, CallRecord>; placedOn: Map<number, number> }
  >();

  of(accountId: string): AccountCalls {
    return this.#of(accountId);
  }

  protected override reindex(before: CallRecord | undefined, after: CallRecord | undefined): void {
    if (before !== undefined) {
      this.#count(before, -1);
      const { waiting, active } = this.#of(before.accountId);
      // A call that stays queued keeps its position.
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
    // A call that returns to the queue takes its position in the order of placement.
    waiting.clear();
    for (const call of this.values())
      if (call.status === "queued" && call.accountId === after.accountId) waiting.set(call.id, call);
  }

  protected override clearIndex(): void {
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
