import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { createEventTable, postgresEventStore } from "@call-transfer/sdk/webhooks/postgres";
import pg from "pg";

// While PostgreSQL hangs, steps must not keep its connections.
const limits = { connectionTimeoutMillis: 1000, query_timeout: 1000 };
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, ...limits });
pool.on("error", (error) => console.error(error));
// For one process. With several, put its text into a migration: two that create the table at once may fail.
await pool.query(createEventTable());

const store = postgresEventStore(pool);
setInterval(() => store.deleteExpired().catch(console.error), 3_600_000).unref();

export const receive = createWebhookHandler({
  secret: process.env.SIGNING_SECRET ?? "",
  store,
  onEvent(event) {
    if (isTransferOffer(event)) console.log(`a call is offered to ${event.destinationId}`);
  },
});
