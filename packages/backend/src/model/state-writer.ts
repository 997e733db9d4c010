import { endOfTurn } from "../utils/real-time.ts";
import { errorMessage } from "../utils/values.ts";
import type { WallClock } from "./clock.ts";
import { factTable, type RowChange, readState, type SandboxStore, type StoredState } from "./store.ts";

/** Thrown when a change could not be stored. Its message is for the client. */
export class NotStoredError extends Error {
  constructor(cause: unknown) {
    super(`Changes could not be stored and were undone: ${errorMessage(cause)}`, { cause });
    this.name = "NotStoredError";
  }
}

/** A record that was added (no `before`), replaced, or removed (no `after`). */
export interface NotedRecord {
  readonly collection: string;
  readonly key: string;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** What has changed in a row since the last commit. */
interface ChangedRow {
  readonly table: string;
  readonly key: string;
  /** Whether the store holds a row with this key. */
  readonly isStored: boolean;
  /** Whether the stored row was removed; if there is a value again, the row has moved to the end. */
  readonly isRemoved: boolean;
  /** Undefined for a row that is gone. */
  readonly value: object | undefined;
}

/** The rows that have changed since the last commit. */
export class ChangedRows {
  readonly #rows = new Map<string, ChangedRow>();

  add({ collection: table, key, before, after }: NotedRecord): void {
    const id = `${table} ${key}`;
    const earlier = this.#rows.get(id);
    const isStored = earlier?.isStored ?? before !== undefined;
    // New rows are written in the order in which they were added.
    if (before === undefined || (!isStored && after === undefined)) this.#rows.delete(id);
    if (!isStored && after === undefined) return;
    const isRemoved = earlier?.isRemoved === true || after === undefined;
    this.#rows.set(id, { table, key, isStored, isRemoved, value: after });
  }

  /** The changes for a store. */
  *list(): Generator<RowChange> {
    for (const { table, key, value, isRemoved } of this.#rows.values()) {
      if (isRemoved && value !== undefined) yield { table, key, text: undefined };
      yield { table, key, text: value === undefined ? undefined : JSON.stringify(value) };
    }
  }

  /** Forgets the changes of all tables but these. */
  clear(kept: ReadonlySet<string> = new Set()): void {
    for (const [id, { table }] of this.#rows) if (!kept.has(table)) this.#rows.delete(id);
  }
}

/** A value that is stored as a whole, such as the policies. */
export interface Fact {
  read(): unknown;
  /** Whether each commit compares it, because it changes unannounced. */
  readonly isCompared?: boolean;
}

/** A fact with its name and the text to store. */
type FactChange = RowChange & { readonly text: string };

/** The facts of a sandbox, with what the store holds of them. */
class StoredMetadata {
  readonly #facts: Readonly<Record<string, Fact>>;
  readonly #texts: Map<string, string>;
  readonly #touched = new Set<string>();

  /** Continues from the stored texts, by name. */
  constructor(facts: Readonly<Record<string, Fact>>, texts = new Map<string, string>()) {
    this.#facts = facts;
    this.#texts = texts;
  }

  /** Notes that a fact may have changed. */
  touch(name: string): void {
    this.#touched.add(name);
  }

  forgetTouched(): void {
    this.#touched.clear();
  }

  /** The facts that differ from the store: those that were touched or are compared, and all of a new store. */
  changed(): readonly FactChange[] {
    const isNew = this.#texts.size === 0;
    return Object.entries(this.#facts).flatMap(([key, { read, isCompared = false }]) => {
      if (!isCompared && !isNew && !this.#touched.has(key)) return [];
      const text = JSON.stringify(read());
      return text === this.#texts.get(key) ? [] : { table: factTable, key, text };
    });
  }

  /** Notes that the store holds these changes, and all others. */
  keep(changes: readonly FactChange[]): void {
    this.#touched.clear();
    for (const { key, text } of changes) this.#texts.set(key, text);
  }
}

/** How long a change waits that no answer depends on, in milliseconds of real time. */
const flushMs = 250;

/** When a change must be stored: before anything else leaves the backend, or with the next commit. */
export type Urgency = "now" | "soon";

/** Returns the changes since the latest flush that succeeded. `done` runs after this one has succeeded. */
export type FlushSource = () => { readonly rows: readonly RowChange[]; done(): void };

/**
 * Takes the state back to what the store holds, because a commit failed. Returns a function that cancels what it planned for
 * later.
 */
export type GoBack = (stored: StoredState, error: NotStoredError, wall: WallClock) => () => void;

/**
 * Collects the changes of a sandbox and commits them to its store: once a turn of the event loop, so that many requests share a
 * commit. Answers, webhooks and events wait for `saved`.
 */
export class StateWriter {
  readonly #store: SandboxStore;
  readonly #wall: WallClock;
  #failed: GoBack = () => () => {};
  #facts = new StoredMetadata({});
  readonly #sources: FlushSource[] = [];
  readonly #changes = new ChangedRows();
  /** The tables of what has happened, which no failed commit undoes. */
  readonly #histories = new Set<string>();
  #saving: Promise<void> | undefined;
  #cancelFlush: (() => void) | undefined;
  #cancelRest: (() => void) | undefined;
  #state: "off" | "on" | "closed" = "off";
  /** The error of the latest failed commit. */
  #failure: NotStoredError | undefined;
  #isLatestStored = true;
  /** Whether the state is no longer that of the store. */
  #isBroken = false;

  constructor(store: SandboxStore, wall: WallClock) {
    this.#store = store;
    this.#wall = wall;
  }

  /** Names a table of what has happened. Its changes wait for the next commit when one fails. */
  addHistory(table: string): void {
    this.#histories.add(table);
  }

  /** Adds changes that only a flush writes, every 250 ms at most. */
  addSource(source: FlushSource): void {
    this.#sources.push(source);
  }

  /** Notes that a row has changed. It must not change afterwards. */
  change(change: NotedRecord, urgency: Urgency = "now"): void {
    if (!this.#isNoted(urgency)) return;
    this.#changes.add(change);
    this.plan(urgency);
  }

  /** Notes that a fact may have changed. */
  touch(name: string): void {
    if (!this.#isNoted("now")) return;
    this.#facts.touch(name);
    this.plan("now");
  }

  /** Whether to note a change. After `close`, one that must be stored cannot be, so `saved` rejects from then on. */
  #isNoted(urgency: Urgency): boolean {
    if (this.#state === "closed" && urgency === "now") this.#break(new Error("the backend is closed"));
    return this.#state === "on";
  }

  /** The commit under way, if an answer must wait for one. Rejects with NotStoredError. */
  saved(): Promise<void> | undefined {
    return this.#isBroken ? Promise.reject(this.#failure) : this.#saving;
  }

  /** Resolves when everything that has changed so far is stored. Rejects with NotStoredError if the latest commit failed. */
  async allSaved(): Promise<void> {
    await this.saved();
    if (!this.#isLatestStored) throw this.#failure;
  }

  /**
   * Runs a task and resolves once everything is stored that it changed. Rejects with NotStoredError if a commit failed
   * meanwhile, because the state has gone back then.
   */
  async storing<Result>(task: () => Promise<Result>): Promise<Result> {
    const before = this.#failure;
    const result = await task();
    await this.saved();
    if (this.#failure !== before) throw this.#failure;
    return result;
  }

  /** Loads what the store holds; undefined if the store is new. From then on it keeps the facts: `touch` announces their changes. */
  load(facts: Readonly<Record<string, Fact>>): StoredState | undefined {
    const rows = this.#store.load();
    const { state, factTexts } = readState(rows ?? []);
    this.#facts = new StoredMetadata(facts, factTexts);
    return rows && state;
  }

  /** Begins to note changes. `failed` runs after a commit failed. */
  start(failed: GoBack): void {
    this.#failed = failed;
    this.#state = "on";
  }

  /** Runs a task whose changes are in the store already. */
  withoutRecording<Result>(task: () => Result): Result {
    const before = this.#state;
    this.#state = "off";
    try {
      return task();
    } finally {
      this.#state = before;
    }
  }

  /** Commits everything at once. Throws what the store throws. */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const collected = this.#sources.map((changes) => changes());
    this.#commit(collected.flatMap(({ rows }) => rows));
    for (const { done } of collected) done();
  }

  /** Commits the rest, stops, and ends the use of the store. If the commit fails, `saved` rejects from then on. */
  close(): void {
    if (this.#state !== "on") return;
    try {
      this.flush();
    } catch (error) {
      // Answers may wait for this commit.
      this.#break(error);
    } finally {
      this.stop();
      this.#state = "closed";
      this.#store.close();
    }
  }

  /** Stops noting changes. Those that are not stored yet never are. */
  stop(): void {
    this.#state = "off";
    this.#cancelFlush?.();
    this.#cancelRest?.();
  }

  #break(cause: unknown): void {
    this.#failure = new NotStoredError(cause);
    this.#isBroken = true;
  }

  /** Plans the next commit. */
  plan(urgency: Urgency): void {
    if (this.#state !== "on") return;
    if (urgency === "now") {
      if (this.#saving !== undefined) return;
      // Where the platform has turns, requests that arrive together share a commit.
      this.#saving = endOfTurn().then(() => this.#save());
      // A change that no request waits for has no one to report to.
      this.#saving.catch(() => {});
      return;
    }
    this.#cancelFlush ??= this.#wall.after(flushMs, () => this.#flushQuietly(), true);
  }

  #save(): void {
    this.#saving = undefined;
    if (this.#isBroken) throw this.#failure;
    if (this.#state !== "on") return;
    try {
      this.#commit();
    } catch (error) {
      this.#changes.clear(this.#histories);
      this.#facts.forgetTouched();
      this.#isLatestStored = false;
      this.#failure = new NotStoredError(error);
      this.#cancelRest?.();
      try {
        const { state } = readState(this.#store.load() ?? []);
        this.#cancelRest = this.#failed(state, this.#failure, this.#wall);
      } catch {
        this.#isBroken = true;
      }
      throw this.#failure;
    }
  }

  #flushQuietly(): void {
    this.#cancelFlush = undefined;
    // The commit under way takes all but the sources.
    if (this.#saving !== undefined) {
      this.plan("soon");
      return;
    }
    try {
      this.flush();
    } catch {
      // No answer depends on it, and the next commit tries again.
    }
  }

  #commit(others: readonly RowChange[] = []): void {
    const facts = this.#facts.changed();
    const changes = [...this.#changes.list(), ...others, ...facts];
    if (changes.length > 0) this.#store.commit(changes);
    this.#changes.clear();
    this.#facts.keep(facts);
    this.#isLatestStored = true;
  }
}
