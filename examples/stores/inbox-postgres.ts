import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { inboxTableSql, postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import postgres from "postgres";

const { CALL_TRANSFER_SIGNING_SECRET: secret, DATABASE_URL } = process.env;
if (!secret || !DATABASE_URL) throw new Error("Set CALL_TRANSFER_SIGNING_SECRET and DATABASE_URL.");
// Fetching types, a lost connection ends the process. Without backoff, the pool tries a lost server every 20 seconds only.
const outages = { fetch_types: false, backoff: () => 0.5, connect_timeout: 5 };
const sql = postgres(DATABASE_URL, { ...outages, onnotice() {} });
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
  secret,
  inbox,
  async onEvent(event, tx) {
    if (!isTransferOffer(event)) return;
    await tx`insert into tickets (destination) values (${event.destinationId ?? null})`;
    console.log(`a call is offered to ${event.destinationId}`);
  },
});
