// Entry point for event stores and inboxes in PostgreSQL.
import type { EventClaim, EventStore } from "./event-store.ts";
import { defaultTable, quotedTable, statementsFor } from "./postgres-table.ts";

export { type PgClient, pgInbox } from "./pg-inbox.ts";
export { type PostgresJsTransaction, postgresJsInbox } from "./postgres-js-inbox.ts";
export { createEventTable } from "./postgres-table.ts";

/** Options of `postgresEventStore`. */
export interface PostgresEventStoreOptions {
  /** The table, also with its schema, such as `app.events`; `call_transfer_events` by default. Case counts. */
  table?: string;
  /**
   * How many connections of the pool the store uses at once; the pool's `max` by default, or 10. More steps wait in the receiver,
   * so that a burst does not look like a database that is down.
   */
  connections?: number;
}

/** What `postgresEventStore` needs of a pool or client of `pg`. It must not be in a transaction. */
export interface PostgresClient {
  /** Runs a query with parameters. */
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  /** The options of a pool, of which the store reads `max`. */
  readonly options?: unknown;
}

/** A store in PostgreSQL. */
export interface PostgresEventStore extends EventStore {
  /** Deletes leases and answers that ran out, which the table keeps otherwise. Call it about once an hour. Returns how many. */
  deleteExpired(): Promise<number>;
}

/** As many connections as the pool has. This is also the default of `pg` and postgres.js. */
function connectionsOf({ options }: PostgresClient, given: number | undefined): number {
  const { max } = Object(options) as { max?: unknown };
  const connections = given ?? (Number.isInteger(max) ? Number(max) : 10);
  if (Number.isInteger(connections) && connections > 0) return connections;
  throw new TypeError("connections must be an integer above 0");
}

const conflictRetries = 10;

/** Whether PostgreSQL asks to run the statement again, as it does above the isolation level `read committed`. */
const isConflict = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === "40001";

/**
 * Creates a store in PostgreSQL, over a pool or client of `pg`. `createEventTable` returns its table. Each method is one
 * statement without a name or session settings, so it works behind PgBouncer's transaction pooling. Times are the
 * database's.
 *
 * @throws {TypeError} An option is invalid.
 *
 * @example
 * createWebhookHandler({ secret, onEvent, store: postgresEventStore(new Pool()) });
 */
export function postgresEventStore(
  client: PostgresClient,
  { table = defaultTable, connections }: PostgresEventStoreOptions = {},
): PostgresEventStore {
  const statements = statementsFor(quotedTable(table));
  const rowOf = async (statement: string, values: unknown[]): Promise<Record<string, unknown> | undefined> => {
    for (let retriesLeft = conflictRetries; ; retriesLeft -= 1) {
      try {
        const { rows } = await client.query(statement, values);
        return rows[0] as Record<string, unknown> | undefined;
      } catch (error) {
        if (retriesLeft === 0 || !isConflict(error)) throw error;
      }
    }
  };
  return {
    stepsAtOnce: connectionsOf(client, connections),
    async claim(key, owner, leaseMs): Promise<EventClaim> {
      const row = await rowOf(statements.claim, [key, owner, leaseMs]);
      if (row?.state === "done") return { state: "done", answer: String(row.answer) };
      return { state: row?.state === "mine" ? "mine" : "busy" };
    },
    complete: async (key, owner, answer, keepMs) =>
      (await rowOf(statements.complete, [key, owner, answer, keepMs])) !== undefined,
    release: async (key, owner) => {
      await rowOf(statements.release, [key, owner]);
    },
    deleteExpired: async () => Number((await rowOf(statements.deleteExpired, []))?.count ?? 0),
  };
}
