// The inbox over `pg`.
import type { EventInbox } from "./event-inbox.ts";
import { inTime } from "./in-time.ts";
import { inboxOver } from "./inbox.ts";
import { defaultTable } from "./postgres-table.ts";
import { LostConnection, rolledBack, StillRunning } from "./transactions.ts";

/** What `pgInbox` needs of a client from a pool of `pg`. `onEvent` gets the whole client. */
export interface PgClient {
  /** Runs a query. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; command?: string }>;
  /** Gives the client back to the pool, or ends its connection. */
  release(destroy?: boolean): void;
  /** Listens to the loss of the connection. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Ends listening. */
  removeListener(event: "error", listener: (error: Error) => void): unknown;
}

const longestRollbackMs = 1000;

/** Rolls back. A query that hangs would delay it. */
const isRolledBack = (client: PgClient): Promise<boolean> =>
  inTime(() => client.query("rollback"), longestRollbackMs, "The database", "store_timeout").then(
    () => true,
    () => false,
  );

/** A client that is out of the pool. */
interface Taken<Client> {
  readonly client: Client;
  /** Whether its connection was lost since then. */
  isLost(): boolean;
  /** Gives it back to the pool, or ends its connection. */
  release(destroy: boolean): void;
}

/**
 * Takes a client out of the pool and listens to it at once: without a listener, the loss of its connection ends the process.
 * With the pool's promise there would be none until the code that awaits it goes on.
 */
const take = <Client extends PgClient>(
  connect: (callback: (error: Error | undefined, client: Client | undefined) => void) => void,
): Promise<Taken<Client>> =>
  new Promise((resolve, reject) => {
    connect((error, client) => {
      if (client === undefined) return reject(error);
      let isLost = false;
      const onError = (): void => {
        isLost = true;
      };
      client.on("error", onError);
      resolve({
        client,
        isLost: () => isLost,
        release(destroy) {
          client.removeListener("error", onError);
          client.release(destroy);
        },
      });
    });
  });

/** Runs work in a transaction of a client that is out of the pool. */
async function runOn<Client extends PgClient, Result>(
  { client, isLost, release }: Taken<Client>,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  let isReusable = false;
  try {
    await client.query("begin");
    const result = await work(client);
    const { command } = await client.query("commit");
    // PostgreSQL answers so, and not with an error, if a query failed meanwhile.
    if (command === "ROLLBACK") throw rolledBack();
    isReusable = true;
    return result;
  } catch (error) {
    // Without a rollback, the end of the connection is one, and `onEvent` can send nothing more.
    if (!(error instanceof StillRunning)) isReusable = await isRolledBack(client);
    throw isLost() ? new LostConnection(error) : error;
  } finally {
    release(!isReusable);
  }
}

/**
 * Creates an inbox over a pool of `pg`, for the option `inbox` of `createWebhookHandler`. `onEvent` gets the client, in a
 * transaction that the inbox commits: its queries must go to this client. `createEventTable` returns the table.
 *
 * @throws {TypeError} The name of the table is invalid.
 *
 * @example
 * createWebhookHandler({
 *   secret,
 *   inbox: pgInbox(new Pool()),
 *   async onEvent(event, client) {
 *     await client.query("insert into offers values ($1)", [event.id]);
 *   },
 * });
 */
export function pgInbox<Client extends PgClient>(
  pool: {
    /** Not called. TypeScript infers the client from as many forms as the pool has. */
    connect(): Promise<Client>;
    /** Takes a client out of the pool. */
    connect(callback: (error: Error | undefined, client: Client | undefined, done: () => void) => void): void;
  },
  { table = defaultTable }: { table?: string } = {},
): EventInbox<Client> {
  return inboxOver<Client>(
    {
      run: async (work) => runOn(await take<Client>((callback) => pool.connect(callback)), work),
      query: async (client, text, values) => (await client.query(text, values)).rows,
    },
    table,
  );
}
