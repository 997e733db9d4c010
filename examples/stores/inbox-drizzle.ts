import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { pgInbox } from "@call-transfer/sdk/webhooks/postgres";
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, text } from "drizzle-orm/pg-core";
import pg from "pg";

const tickets = pgTable("tickets", { destination: text() });
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on("error", (error) => console.error(error));

export const receive = createWebhookHandler({
  secret: process.env.SIGNING_SECRET ?? "",
  inbox: pgInbox(pool),
  async onEvent(event, client) {
    if (!isTransferOffer(event)) return;
    const tx = drizzle({ client });
    await tx.insert(tickets).values({ destination: event.destinationId });
    console.log(`a call is offered to ${event.destinationId}`);
  },
});
