// The event store and the inbox of the built SDK, on a Node: check -- runtimes starts the servers and bundles this
// file.
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { createWebhookHandler, signWebhook } from "@call-transfer/sdk/webhooks";
import { inboxTableSql } from "@call-transfer/sdk/webhooks/postgres";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Pool } from "pg";
import { createClient } from "redis";
import { pgInbox, testStore } from "./stores.ts";

const client = createClient({ url: process.env.MATRIX_REDIS ?? "" });
await client.connect();
const pool = new Pool({ connectionString: process.env.MATRIX_POSTGRES });
await pool.query(`${inboxTableSql()} create table effects (event text)`);
after(async () => {
  client.destroy();
  await pool.end();
});

testStore("events in Redis", () =>
  redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args })),
);

it("an inbox in PostgreSQL commits an event once, in two processes", async () => {
  const open = () =>
    createWebhookHandler({
      secret: "secret",
      inbox: pgInbox(pool),
      onEvent: async ({ id }, tx) => void (await tx.query("insert into effects values ($1)", [id])),
    });
  const body = '{"type":"transfer.offer","id":"one"}';
  for (const handle of [open(), open()]) {
    const headers = { "Service-Signature": await signWebhook(body, { secret: "secret" }) };
    const { status } = await handle(new Request("http://localhost/", { method: "POST", headers, body }));
    assert.equal(status, 204);
  }
  assert.deepEqual((await pool.query("select event from effects")).rows, [{ event: "one" }]);
});
