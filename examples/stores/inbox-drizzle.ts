import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import { type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, text } from "drizzle-orm/pg-core";
import pg from "pg";

const { CALL_TRANSFER_SIGNING_SECRET: secret, DATABASE_URL } = process.env;
if (!secret || !DATABASE_URL) throw new Error("Set CALL_TRANSFER_SIGNING_SECRET and DATABASE_URL.");
const tickets = pgTable("tickets", { destination: text() });
const pool = new pg.Pool({ connectionString: DATABASE_URL, connectionTimeoutMillis: 5000 });
pool.on("error", (error) => console.error(error));
// Without a listener, a client whose connection is lost ends the process.
pool.on("connect", (client) => void client.on("error", (error) => console.error(error)));
const db = drizzle({ client: pool });

/** Puts the values in the place of $1, $2 and so on. */
const statement = (text: string, values: (string | number)[]): SQL =>
  sql.join(text.split(/\$(\d+)/).map((part, at) => (at % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)));

const inbox = postgresInbox<Parameters<Parameters<typeof db.transaction>[0]>[0]>({
  transaction: (work) => db.transaction(work),
  query: async (tx, text, values) => (await tx.execute(statement(text, values))).rows,
});

export const receive = createWebhookHandler({
  secret,
  inbox,
  async onEvent(event, tx) {
    if (!isTransferOffer(event)) return;
    await tx.insert(tickets).values({ destination: event.destinationId });
    console.log(`a call is offered to ${event.destinationId}`);
  },
});
