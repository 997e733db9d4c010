import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { inboxTableSql, postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import postgres from "postgres";

// Fetching types, a lost connection ends the process. Without backoff, the pool tries a lost server every 20 seconds only.
const outages = { fetch_types: false, backoff: () => 0.5, connect_timeout: 5 };
const sql = postgres(process.env.DATABASE_URL ?? "", { ...outages, onnotice() {} });
// For one process. With several, put both into a migration.
await sql.unsafe(inboxTableSql());
await sql`create table if not exists tickets (destination text)`;
const clean = () => sql`delete from call_transfer_events where expires_at <= now()`.catch(console.error);
setInterval(clean, 3_600_000).unref();

const inbox = postgresInbox<postgres.TransactionSql>({
  transaction: (work) => sql.begin(work),
  query: (tx, text, values) => tx.unsafe(text, values),
});

export const receive = createWebhookHandler({
  secret: process.env.SIGNING_SECRET ?? "",
  inbox,
  async onEvent(event, tx) {
    if (!isTransferOffer(event)) return;
    await tx`insert into tickets (destination) values (${event.destinationId ?? null})`;
    console.log(`a call is offered to ${event.destinationId}`);
  },
});
