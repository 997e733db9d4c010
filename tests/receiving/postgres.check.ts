// Event stores in PostgreSQL: over a pool, at each isolation level, and the table itself.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createEventTable, postgresEventStore } from "@call-transfer/sdk/webhooks/postgres";
import { Pool } from "pg";
import { startPostgres } from "./servers.ts";
import { testStore } from "./store-cases.ts";

const server = await startPostgres();
const pools: Pool[] = [];

/** A pool whose transactions have this isolation level by default. */
function connect(isolation = "read committed"): Pool {
  const options = `-c default_transaction_isolation=${isolation.replaceAll(" ", "\\ ")}`;
  const pool = new Pool({ connectionString: server.url, max: 10, options });
  pools.push(pool);
  return pool;
}

after(async () => {
  for (const pool of pools) await pool.end();
  await server.stop();
});

const admin = connect();
await admin.query(createEventTable());

for (const isolation of ["read committed", "repeatable read", "serializable"]) {
  const [first, second] = [connect(isolation), connect(isolation)];
  let opened = 0;
  testStore(`pg, ${isolation}`, () => postgresEventStore(opened++ % 2 === 0 ? first : second));
}

describe("a store in PostgreSQL", () => {
  it("uses a table of any name in any schema", async () => {
    await admin.query('create schema "Odd ""schema"""');
    const table = 'Odd "schema".events; drop table "x"';
    await admin.query(createEventTable({ table }));
    await admin.query(createEventTable({ table }));
    const store = postgresEventStore(admin, { table });
    assert.deepEqual(await store.claim("key", "owner", 60_000), { state: "mine" });
    const { rows } = await admin.query(`select key from "Odd ""schema"""."events; drop table ""x"""`);
    assert.deepEqual(rows, [{ key: "key" }]);
  });

  it("deletes what ran out, and nothing else", async () => {
    const table = "cleaned";
    await admin.query(createEventTable({ table }));
    const store = postgresEventStore(admin, { table });
    await store.claim("leased", "owner", 60_000);
    await store.complete("answered", "owner", "1", 60_000);
    await store.claim("lease over", "owner", 1);
    await store.complete("answer over", "owner", "1", 1);
    await sleep(50);
    assert.equal(await store.deleteExpired(), 2);
    assert.equal(await store.deleteExpired(), 0);
    const { rows } = await admin.query("select key from cleaned order by key");
    assert.deepEqual(rows, [{ key: "answered" }, { key: "leased" }]);
  });

  it("leaves nothing behind in its sessions, as PgBouncer's transaction pooling requires", async () => {
    const alone = new Pool({ connectionString: server.url, max: 1 });
    pools.push(alone);
    const store = postgresEventStore(alone);
    await store.claim("session", "owner", 60_000);
    await store.complete("session", "owner", "1", 60_000);
    await store.release("session", "owner");
    await store.deleteExpired();
    const { rows } = await alone.query(`select name from pg_prepared_statements
      union all select name from pg_settings where source = 'session'
      union all select locktype from pg_locks where locktype = 'advisory'`);
    assert.deepEqual(rows, []);
  });

  it("rejects while the server is down, and works again when it is back", async () => {
    const pool = connect();
    pool.on("error", () => {});
    for (const other of pools) other.on("error", () => {});
    const store = postgresEventStore(pool);
    assert.equal(await store.complete("kept", "owner", '"kept"', 60_000), true);
    server.signal("SIGKILL");
    await assert.rejects(async () => {
      for (;;) await store.claim("kept", "other", 60_000);
    });
    await server.restart();
    assert.deepEqual(await store.claim("kept", "other", 60_000), { state: "done", answer: '"kept"' });
  });
});
