// The programs of docs/webhook-stores.md: two processes behind one store handle an offer once.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inboxTableSql } from "@call-transfer/sdk/webhooks/postgres";
import { Pool } from "pg";
import { startPostgres, startRedis } from "./servers.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const [redis, postgres] = [await startRedis(), await startPostgres()];
const pool = new Pool({ connectionString: postgres.url, max: 1 });
after(async () => {
  await pool.end();
  await redis.stop();
  await postgres.stop();
});

const secret = "secret";
const offer = JSON.stringify({ type: "transfer.offer", destinationId: "d0000000-0000-4000-8000-000000000001" });

async function deliverTwice(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@call-transfer/source", at("deliver-twice.ts"), at(`.cache/examples/${name}.ts`), offer],
    { env: { ...process.env, CALL_TRANSFER_SIGNING_SECRET: secret, REDIS_URL: redis.url, DATABASE_URL: postgres.url } },
  );
  return stdout;
}

for (const name of ["redis", "ioredis", "inbox-pg", "inbox-postgres", "inbox-drizzle"]) {
  it(`${name}.ts`, async () => {
    if (name.endsWith("redis")) await redis.command("flushall");
    if (name.startsWith("inbox")) await pool.query("drop table if exists call_transfer_events, tickets");
    // The program before it on the page makes the tables.
    if (name === "inbox-drizzle") await pool.query(`${inboxTableSql()} create table tickets (destination text)`);
    const printed = [await deliverTwice(name), await deliverTwice(name)].join("");
    assert.equal(printed.match(/answered 204/g)?.length, 4, printed);
    assert.equal(printed.match(/a call is offered/g)?.length, 1, printed);
    if (name.startsWith("inbox")) assert.equal((await pool.query("select from tickets")).rowCount, 1);
  });
}
