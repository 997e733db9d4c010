import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { inboxTableSql, postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import pg from "pg";

const { CALL_TRANSFER_SIGNING_SECRET: secret, DATABASE_URL } = process.env;
if (!secret || !DATABASE_URL) throw new Error("Set CALL_TRANSFER_SIGNING_SECRET and DATABASE_URL.");
const pool = new pg.Pool({ connectionString: DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on("error", (error) => console.error(error));
// Without a listener, a client whose connection is lost ends the process.
pool.on("connect", (client) => void client.on("error", (error) => console.error(error)));
// For one process. With several, put both into a migration.
await pool.query(inboxTableSql());
await pool.query("create table if not exists tickets (destination text)");
const clean = () => pool.query("delete from call_transfer_events where expires_at <= now()").catch(console.error);
setInterval(clean, 3_600_000).unref();

const inbox = postgresInbox<pg.PoolClient>({
  async transaction(work) {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await work(client);
      const { command } = await client.query("commit");
      // A query that nothing awaited failed: PostgreSQL rolls back without an error.
      if (command === "ROLLBACK") throw Object.assign(new Error("a query failed"), { code: "25P02" });
      client.release();
    } catch (error) {
      // The end of its connection is a rollback, and nothing can be sent after it.
      client.release(true);
      throw error;
    }
  },
  query: async (client, text, values) => (await client.query(text, values)).rows,
});

export const receive = createWebhookHandler({
  secret,
  inbox,
  async onEvent(event, client) {
    if (!isTransferOffer(event)) return;
    await client.query("insert into tickets (destination) values ($1)", [event.destinationId]);
    console.log(`a call is offered to ${event.destinationId}`);
  },
});
