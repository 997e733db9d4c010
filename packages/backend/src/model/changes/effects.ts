import type { TimerPurpose } from "../time/timer-queue.ts";

/** A record that was added (no `before`), replaced, or removed (no `after`). */
export interface RecordChange {
  /** The name of the collection, such as `members`. */
  readonly collection: string;
  readonly id: string;
  readonly before?: object;
  readonly after?: object;
}

/** A timer that was set; `at` is in milliseconds. */
export interface SetTimer extends TimerPurpose {
  readonly at: number;
}

/** What a task changed. */
export interface Effects {
  readonly changes: readonly RecordChange[];
  readonly timers: readonly SetTimer[];
}

/** Collects what a task changes while it runs. */
export class EffectLog {
  #isOpen = false;
  // Created on demand: what the journal holds for long costs every request a share of garbage collection.
  #effects: { readonly changes: RecordChange[]; readonly timers: SetTimer[] } | undefined;

  /** Runs a task, which must not be asynchronous. Returns its effects if it has any, also if it throws. */
  during<Result>(task: () => Result): {
    readonly result?: Result;
    readonly effects: Effects | undefined;
    readonly thrown?: { readonly error: unknown };
  } {
    this.#isOpen = true;
    this.#effects = undefined;
    try {
      return { result: task(), effects: this.#effects };
    } catch (error) {
      return { effects: this.#effects, thrown: { error } };
    } finally {
      this.#isOpen = false;
    }
  }

  change(collection: string, key: string, before: object | undefined, after: object | undefined): void {
    this.#collect()?.changes.push({
      collection,
      id: idOf(before ?? after) ?? key,
      ...(before && { before }),
      ...(after && { after }),
    });
  }

  timer(at: number, purpose: TimerPurpose): void {
    this.#collect()?.timers.push({ at, ...purpose });
  }

  #collect() {
    if (this.#isOpen) this.#effects ??= { changes: [], timers: [] };
    return this.#isOpen ? this.#effects : undefined;
  }
}

/** The id of a record. Its key may be a secret, such as that of an API key. */
function idOf(record: object | undefined): string | undefined {
  return record !== undefined && "id" in record && typeof record.id === "string" ? record.id : undefined;
}
