import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { createEventTable, pgInbox } from "@call-transfer/sdk/webhooks/postgres";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on("error", (error) => console.error(error));
// For one process. With several, put both into a migration.
await pool.query(createEventTable());
await pool.query("create table if not exists tickets (destination text)");
const clean = () => pool.query("delete from call_transfer_events where expires_at <= now()").catch(console.error);
setInterval(clean, 3_600_000).unref();

export const receive = createWebhookHandler({
  secret: process.env.SIGNING_SECRET ?? "",
  inbox: pgInbox(pool),
  async onEvent(event, client) {
    if (!isTransferOffer(event)) return;
    await client.query("insert into tickets (destination) values ($1)", [event.destinationId]);
    console.log(`a call is offered to ${event.destinationId}`);
  },
});
