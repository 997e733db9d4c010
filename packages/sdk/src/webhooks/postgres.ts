// Entry point for event stores in PostgreSQL.
import type { EventClaim, EventStore } from "./event-store.ts";

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

const defaultTable = "call_transfer_events";

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes the name of a table, with or without its schema. */
function quotedTable(table: unknown): string {
  const parts = typeof table === "string" ? table.split(".") : [];
  const isName = parts.length >= 1 && parts.length <= 2 && parts.every((part) => part !== "" && !part.includes("\0"));
  if (!isName) throw new TypeError("table must be the name of a table, or schema.table");
  return parts.map(quoted).join(".");
}

/**
 * Returns the statements that create the table of `postgresEventStore`, for a migration. They change nothing if it exists.
 * Run them once, before the receivers start: where two processes create a table at the same moment, one fails.
 *
 * @throws {TypeError} The name is invalid.
 */
export function createEventTable(table = defaultTable): string {
  const index = quoted(`${table.split(".").at(-1)}_expires_at`);
  return `create table if not exists ${quotedTable(table)} (
  key text collate "C" primary key,
  owner text not null,
  answer text,
  expires_at timestamptz not null
);
create index if not exists ${index} on ${quotedTable(table)} (expires_at);
`;
}

const afterMs = (parameter: string): string => `now() + ${parameter}::float8 * interval '1 millisecond'`;

/** One row, or none, of each statement. What ran out counts as if it were not there. */
const statementsFor = (table: string) => ({
  // The second part reads a row as it was before the statement. No row: another claim came between.
  claim: `with taken as (
  insert into ${table} as held (key, owner, expires_at) values ($1, $2, ${afterMs("$3")})
  on conflict (key) do update set owner = excluded.owner, answer = null, expires_at = excluded.expires_at
  where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
  returning 'mine' as state, null::text as answer
)
select state, answer from taken
union all
select 'done', answer from ${table}
where key = $1 and answer is not null and expires_at > now() and not exists (select from taken)`,
  complete: `insert into ${table} as held (key, owner, answer, expires_at) values ($1, $2, $3, ${afterMs("$4")})
on conflict (key) do update set owner = excluded.owner, answer = excluded.answer, expires_at = excluded.expires_at
where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
returning key`,
  release: `delete from ${table} where key = $1 and owner = $2 and answer is null`,
  deleteExpired: `with gone as (delete from ${table} where expires_at <= now() returning key) select count(*)::int from gone`,
});

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
