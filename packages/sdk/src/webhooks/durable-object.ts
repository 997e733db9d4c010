// Entry point for event stores in Durable Objects of Cloudflare Workers.
import type { EventClaim, EventStore } from "./event-store.ts";

/** Options of `durableObjectEventStore`. */
export interface DurableObjectEventStoreOptions {
  /**
   * How many objects share the events; 16 by default. One object takes some hundred requests a second. Events stored under
   * another number are not found.
   */
  shards?: number;
}

/** What `durableObjectEventStore` needs of a Durable Object namespace. `Id` is its class of object IDs. */
export interface EventStoreNamespace<Id> {
  /** Returns the ID of the object with this name. */
  idFromName(name: string): Id;
  /** Returns the object with this ID. */
  get(id: Id): { fetch(url: string, init: { method: string; body: string }): Promise<EventStoreResponse> };
}

/** What a store reads of an object's response. */
export interface EventStoreResponse {
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  /** HTTP status. */
  readonly status: number;
  /** Reads the body as JSON. */
  json(): Promise<unknown>;
}

/** What `EventStoreObject` needs of the state of a Durable Object that stores in SQLite. */
export interface EventStoreState {
  /** What the object keeps. */
  readonly storage: {
    /** The object's SQLite database. */
    readonly sql: {
      /** Runs a query. */
      exec(query: string, ...values: (string | number | null)[]): { toArray(): Record<string, unknown>[] };
    };
    /** Returns when the alarm is due, in milliseconds since 1970, or null. */
    getAlarm(): Promise<number | null>;
    /** Sets the alarm, in milliseconds since 1970. */
    setAlarm(time: number): Promise<void>;
    /** Deletes everything that the object keeps. */
    deleteAll(): Promise<void>;
  };
}

type Call =
  | readonly [method: "claim", key: string, owner: string, leaseMs: number]
  | readonly [method: "complete", key: string, owner: string, answer: string, keepMs: number]
  | readonly [method: "release", key: string, owner: string];

/** How long what ran out is kept at least, so that one alarm deletes many. */
const cleaningPauseMs = 600_000;

const createTable = `create table if not exists events (
  key text primary key, owner text not null, answer text, expires_at real not null
) without rowid`;

/** Takes or replaces what ran out or is the owner's lease. No row: another owner has the event, or it is completed. */
const write = `insert into events (key, owner, answer, expires_at) values (?1, ?2, ?3, ?4)
on conflict (key) do update set owner = excluded.owner, answer = excluded.answer, expires_at = excluded.expires_at
where events.expires_at <= ?5 or (events.owner = excluded.owner and events.answer is null)
returning key`;

/**
 * The Durable Object class of `durableObjectEventStore`. Export it from the Worker, and name it under
 * `new_sqlite_classes` of a migration. What it stores survives eviction; an alarm deletes what ran out.
 */
export class EventStoreObject {
  readonly #storage: EventStoreState["storage"];

  constructor(state: EventStoreState) {
    this.#storage = state.storage;
  }

  /** Runs a method of the store. */
  async fetch(request: Request): Promise<Response> {
    const call = (await request.json()) as Call;
    this.#exec(createTable);
    // Nothing is awaited within a method, so no other request comes between.
    const result = this.#run(call);
    // The response leaves after what was written is on disk.
    if ((await this.#storage.getAlarm()) === null && this.#firstEnd() !== undefined) await this.#setAlarm();
    return Response.json({ result });
  }

  /** Deletes what ran out; the object ends when nothing is left. */
  async alarm(): Promise<void> {
    this.#exec(createTable);
    this.#exec("delete from events where expires_at <= ?", Date.now());
    if (this.#firstEnd() === undefined) await this.#storage.deleteAll();
    else await this.#setAlarm();
  }

  #run(call: Call): EventClaim | boolean {
    const now = Date.now();
    const [method, key, owner] = call;
    if (method === "release") {
      this.#exec("delete from events where key = ? and owner = ? and answer is null", key, owner);
      return true;
    }
    if (method === "complete") return this.#exec(write, key, owner, call[3], now + call[4], now).length > 0;
    if (this.#exec(write, key, owner, null, now + call[3], now).length > 0) return { state: "mine" };
    const answer = this.#exec("select answer from events where key = ?", key)[0]?.answer;
    return typeof answer === "string" ? { state: "done", answer } : { state: "busy" };
  }

  #exec(query: string, ...values: (string | number | null)[]): Record<string, unknown>[] {
    return this.#storage.sql.exec(query, ...values).toArray();
  }

  /** When the first of the leases and answers runs out. */
  #firstEnd(): number | undefined {
    const end = this.#exec("select min(expires_at) as end from events")[0]?.end;
    return typeof end === "number" ? end : undefined;
  }

  async #setAlarm(): Promise<void> {
    await this.#storage.setAlarm(Math.max(this.#firstEnd() ?? 0, Date.now()) + cleaningPauseMs);
  }
}

/** A number that depends on every character of the key (FNV-1a). */
function numberOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

/**
 * Creates a store in Durable Objects of the class `EventStoreObject`.
 *
 * @param namespace The binding of the class in the Worker's environment.
 * @throws {TypeError} An option is invalid.
 *
 * @example
 * createWebhookHandler({ secret, onEvent, store: durableObjectEventStore(env.EVENTS) });
 */
export function durableObjectEventStore<Id>(
  namespace: EventStoreNamespace<Id>,
  { shards = 16 }: DurableObjectEventStoreOptions = {},
): EventStore {
  if (!Number.isInteger(shards) || shards < 1) throw new TypeError("shards must be an integer above 0");
  const call = async (...words: Call): Promise<unknown> => {
    const name = `${numberOf(words[1]) % shards} of ${shards}`;
    // A new stub each time: after an error, a stub fails for good.
    const stub = namespace.get(namespace.idFromName(name));
    const response = await stub.fetch("https://event-store/", { method: "POST", body: JSON.stringify(words) });
    if (!response.ok) throw new Error(`The Durable Object of the event store answered ${response.status}.`);
    return ((await response.json()) as { result: unknown }).result;
  };
  return {
    claim: async (key, owner, leaseMs) => (await call("claim", key, owner, leaseMs)) as EventClaim,
    complete: async (key, owner, answer, keepMs) => (await call("complete", key, owner, answer, keepMs)) === true,
    release: async (key, owner) => {
      await call("release", key, owner);
    },
  };
}
