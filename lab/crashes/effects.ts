// What handlings leave in the app's own table: a row each. With an inbox, the row and the answer are committed together.
import {
  createWebhookHandler,
  type EventInbox,
  type WebhookEvent,
  type WebhookHandler,
  type WebhookHandlerOptions,
} from "@call-transfer/sdk/webhooks";
import { postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import { Pool, type PoolClient } from "pg";
import postgres from "postgres";

/** Runs one statement. */
type Query = (text: string, values: string[]) => Promise<unknown>;
type OnEvent = (event: WebhookEvent, query: Query) => Promise<Response>;

export const inboxNames = ["inbox-pg", "inbox-postgres"] as const;
export type InboxName = (typeof inboxNames)[number];

/** The table of the app. */
export const createEffects =
  "create table effects (event text, handling text, at timestamptz default clock_timestamp());";
export const insertEffect = "insert into effects (event, handling) values ($1, $2)";

/** The pool of a process. What fails while the server is away rejects. */
export function openPool(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: 10 });
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

/** Creates a receiver with an inbox. */
export function createInboxReceiver(
  name: InboxName,
  url: string,
  common: Pick<WebhookHandlerOptions, "secret" | "duplicateWaitMs"> & { onError(): void },
  isOutside: boolean,
  onEvent: OnEvent,
): WebhookHandler {
  const receiverOf = <Tx>(inbox: EventInbox<Tx>, queryOf: (tx: Tx) => Query): WebhookHandler =>
    createWebhookHandler({ ...common, inbox, onEvent: (event, tx) => onEvent(event, queryOf(tx)) });
  const pool = openPool(url);
  if (name === "inbox-pg") {
    const inbox = postgresInbox<PoolClient>({
      async transaction(work) {
        const client = await pool.connect();
        try {
          await client.query("begin");
          await work(client);
          const { command } = await client.query("commit");
          if (command === "ROLLBACK") throw Object.assign(new Error("a query failed"), { code: "25P02" });
          client.release();
        } catch (error) {
          client.release(true);
          throw error;
        }
      },
      query: async (client, text, values) => (await client.query(text, values)).rows,
    });
    return receiverOf(inbox, (client) => (text, values) => (isOutside ? pool : client).query(text, values));
  }
  const sql = postgres(url, { max: 10, fetch_types: false, backoff: () => 0.1, onnotice() {} });
  const inbox = postgresInbox<postgres.TransactionSql>({
    transaction: (work) => sql.begin(work),
    query: (tx, text, values) => tx.unsafe(text, values),
  });
  return receiverOf(inbox, (tx) => async (text, values) => tx.unsafe(text, values));
}

/** One row. */
export interface Effect {
  readonly event: string;
  readonly handling: string;
}

/** All rows, in the order in which they were written. */
export async function readEffects(url: string): Promise<readonly Effect[]> {
  const pool = openPool(url);
  const { rows } = await pool.query<Effect>("select event, handling from effects order by at");
  await pool.end();
  return rows;
}
