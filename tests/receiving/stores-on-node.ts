// Event stores of the built SDK in Redis and PostgreSQL, on a Node of the matrix: check -- matrix starts the servers and bundles
// this file.
import { after } from "node:test";
import { createEventTable, postgresEventStore } from "@call-transfer/sdk/webhooks/postgres";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Pool } from "pg";
import { createClient } from "redis";
import { testStore } from "./store-cases.ts";

const client = createClient({ url: process.env.MATRIX_REDIS ?? "" });
await client.connect();
const pool = new Pool({ connectionString: process.env.MATRIX_POSTGRES });
await pool.query(createEventTable());
after(async () => {
  client.destroy();
  await pool.end();
});

testStore("events in Redis", () => redisEventStore(client));
testStore("events in PostgreSQL", () => postgresEventStore(pool));
