// An event store in Durable Objects, in which the isolates of a Worker share the events that they have handled.
import type { EventClaim, EventStore } from "@call-transfer/sdk/webhooks";

/** The namespace of the class, as far as the store uses it. `Id` is its class of object IDs. */
export interface EventStoreNamespace<Id> {
  idFromName(name: string): Id;
  get(id: Id): {
    fetch(url: string, init: { method: string; body: string }): Promise<Pick<Response, "ok" | "status" | "json">>;
  };
}

/** The state of a Durable Object that stores in SQLite, as far as the class uses it. */
export interface EventStoreState {
  readonly storage: {
    readonly sql: {
      exec(query: string, ...values: (string | number | null)[]): { toArray(): Record<string, unknown>[] };
    };
    getAlarm(): Promise<number | null>;
    setAlarm(time: number): Promise<void>;
    deleteAll(): Promise<void>;
  };
}

type Call =
  | readonly [method: "claim", key: string, owner: string, leaseDurationMs: number]
  | readonly [method: "complete", key: string, owner: string, response: string]
  | readonly [method: "release", key: string, owner: string];

/** Milliseconds for which responses are kept for later duplicates: a day. */
const retentionMs = 86_400_000;
/** One alarm deletes what has expired for this time. */
const cleaningPauseMs = 600_000;
/** One object takes some hundred requests a second. Events that were stored under another number are not found. */
const objects = 16;

const createTable = `create table if not exists events (
  key text primary key, owner text not null, response text, expires_at real not null
) without rowid`;

/** Takes or replaces what expired or is the owner's lease. No row: another owner has the event, or it is completed. */
const write = `insert into events (key, owner, response, expires_at) values (?1, ?2, ?3, ?4)
on conflict (key) do update set owner = excluded.owner, response = excluded.response, expires_at = excluded.expires_at
where events.expires_at <= ?5 or (events.owner = excluded.owner and events.response is null)
returning key`;

/** Export it from the Worker, and name it under `new_sqlite_classes` of a migration. */
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
    if ((await this.#storage.getAlarm()) === null && this.#firstEnd() !== undefined) await this.#setAlarm();
    return Response.json({ result });
  }

  /** Deletes what expired; the object ends when nothing is left. */
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
      this.#exec("delete from events where key = ? and owner = ? and response is null", key, owner);
      return true;
    }
    if (method === "complete") return this.#exec(write, key, owner, call[3], now + retentionMs, now).length > 0;
    if (this.#exec(write, key, owner, null, now + call[3], now).length > 0) return { state: "claimed" };
    const response = this.#exec("select response from events where key = ?", key)[0]?.response;
    return typeof response === "string" ? { state: "completed", response } : { state: "in_progress" };
  }

  #exec(query: string, ...values: (string | number | null)[]): Record<string, unknown>[] {
    return this.#storage.sql.exec(query, ...values).toArray();
  }

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

/** Creates the store over the binding of the class. */
export function durableObjectEventStore<Id>(namespace: EventStoreNamespace<Id>): EventStore {
  const call = async (...words: Call): Promise<unknown> => {
    // A new stub each time: after an error, a stub fails for good.
    const stub = namespace.get(namespace.idFromName(`${numberOf(words[1]) % objects} of ${objects}`));
    const response = await stub.fetch("https://event-store/", { method: "POST", body: JSON.stringify(words) });
    if (!response.ok) throw new Error(`The Durable Object of the event store responded with ${response.status}.`);
    return ((await response.json()) as { result: unknown }).result;
  };
  return {
    retentionMs,
    claim: async (key, owner, leaseDurationMs) => (await call("claim", key, owner, leaseDurationMs)) as EventClaim,
    complete: async (key, owner, response) => (await call("complete", key, owner, response)) === true,
    release: async (key, owner) => {
      await call("release", key, owner);
    },
  };
}
