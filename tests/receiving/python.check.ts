// The event stores of the Python client: the same cases, through a process of Python that calls them, and the program that a page
// shows. See packages/python/tests/webhooks/store_driver.py.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { EventClaim, EventStore } from "@call-transfer/sdk/webhooks";
import { createEventTable, postgresEventStore } from "@call-transfer/sdk/webhooks/postgres";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Pool } from "pg";
import { createClient } from "redis";
import { pythonCommand, pythonEnvironment, pythonFolder } from "./python.ts";
import { startPostgres, startRedis, startRedisCluster } from "./servers.ts";
import { testStore } from "./store-cases.ts";

const redis = await startRedis();
const replica = await startRedis({ replicaOf: redis });
const cluster = await startRedisCluster();
const postgres = await startPostgres();
const clusterUrl = `redis://127.0.0.1:${cluster[0]?.port}`;

const pool = new Pool({ connectionString: postgres.url, max: 2 });
await pool.query(createEventTable());
const client = createClient({ url: redis.url });
await client.connect();

const driver = spawn(pythonCommand(), ["-W", "error", `${pythonFolder}/tests/webhooks/store_driver.py`], {
  cwd: fileURLToPath(new URL("./", import.meta.url)),
  env: { ...process.env, ...pythonEnvironment },
  stdio: ["pipe", "pipe", "inherit"],
});
const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
let sent = 0;
createInterface(driver.stdout).on("line", (line) => {
  const { id, result, error } = JSON.parse(line) as { id: number; result?: unknown; error?: string };
  const request = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) request?.resolve(result);
  else request?.reject(new Error(error));
});
driver.on("exit", () => {
  for (const { reject } of waiting.values()) reject(new Error("The driver ended."));
});

const ask = (request: object): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const id = ++sent;
    waiting.set(id, { resolve, reject });
    driver.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
  });

/** Opens a store in the process of Python. */
async function openNew(name: string, url: string, options: object = {}): Promise<EventStore> {
  const store = await ask({ open: name, url, options });
  const call = (method: string, ...args: unknown[]) => ask({ store, method, args });
  return {
    claim: async (...args) => (await call("claim", ...args)) as EventClaim,
    complete: async (...args) => (await call("complete", ...args)) as boolean,
    release: async (...args) => void (await call("release", ...args)),
  };
}

/** The two stores of each kind, in turn: each has a pool of its own, and a server takes only so many connections. */
const opened = new Map<string, [Promise<EventStore>, Promise<EventStore>]>();
function openStore(...given: Parameters<typeof openNew>): Promise<EventStore> {
  const kind = JSON.stringify(given);
  const pair = opened.get(kind) ?? [openNew(...given), openNew(...given)];
  opened.set(kind, [pair[1], pair[0]]);
  return pair[0];
}

after(async () => {
  const ended = once(driver, "exit");
  driver.stdin.end();
  await ended;
  client.destroy();
  await pool.end();
  for (const server of [replica, redis, ...cluster, postgres]) await server.stop();
});

for (const way of ["", ", async"]) {
  testStore(`Python: memory${way}`, () => openStore(`memory${way}`, ""));
  testStore(`Python: redis${way}`, () => openStore(`redis${way}`, redis.url));
  testStore(`Python: redis${way}, a cluster`, () => openStore(`redis, a cluster${way}`, clusterUrl));
  const confirmed = { wait_for_replicas: 1, wait_timeout: 30 };
  testStore(`Python: redis${way}, confirmed by a replica`, () => openStore(`redis${way}`, redis.url, confirmed));
  for (const isolation of ["read committed", "repeatable read", "serializable"]) {
    const options = { options: `-c default_transaction_isolation=${isolation.replaceAll(" ", "\\ ")}` };
    testStore(`Python: psycopg${way}, ${isolation}`, () => openStore(`postgres${way}`, postgres.url, options));
  }
  // One of the two stores of each case is that of the SDK.
  let turn = 0;
  testStore(`Python: redis${way}, beside Node`, async () =>
    turn++ % 2 === 0 ? openStore(`redis${way}`, redis.url) : redisEventStore(client),
  );
  testStore(`Python: psycopg${way}, beside Node`, async () =>
    turn++ % 2 === 0 ? openStore(`postgres${way}`, postgres.url) : postgresEventStore(pool),
  );
}
const own = openNew("shown", "");
testStore("Python: the store in a page", () => own);
testStore("Python: redis that decodes", () => openStore("redis, decoding", redis.url));

describe("Python: a store that waits for replicas rejects what none confirms", () => {
  for (const name of ["redis", "redis, async"]) {
    it(name, async () => {
      const store = await openStore(name, redis.url, { wait_for_replicas: 1, wait_timeout: 0.02 });
      const patient = await openStore(name, redis.url, { wait_for_replicas: 1, wait_timeout: 30 });
      const [key, owner] = [`${name}, without replicas`, crypto.randomUUID()];
      replica.signal("SIGSTOP");
      try {
        const problem = /0 of 1 replicas confirmed the write within 0\.02 s\./;
        await assert.rejects(() => store.claim(key, owner, 600_000), problem);
        await assert.rejects(() => store.complete(key, owner, "1", 600_000), problem);
        await assert.rejects(() => store.complete(key, owner, "1", 600_000), problem);
      } finally {
        replica.signal("SIGCONT");
      }
      assert.equal(await patient.complete(key, owner, "1", 600_000), true);
      assert.deepEqual(await patient.claim(key, owner, 600_000), { state: "done", answer: "1" });
    });
  }
});

it("Python: rejects while PostgreSQL is down, and works again when it is back", async () => {
  pool.on("error", () => {});
  const stores = await Promise.all(["postgres", "postgres, async"].map((name) => openStore(name, postgres.url)));
  const [first] = stores;
  assert.equal(await first?.complete("kept", "owner", '"kept"', 60_000), true);
  postgres.signal("SIGKILL");
  for (const store of stores)
    await assert.rejects(async () => {
      for (;;) await store.claim("kept", "other", 60_000);
    });
  await postgres.restart();
  for (const store of stores) {
    let claim: EventClaim | undefined;
    // A pool learns of its broken connections one by one.
    while (claim === undefined) claim = await store.claim("kept", "other", 60_000).catch(() => undefined);
    assert.deepEqual(claim, { state: "done", answer: '"kept"' });
  }
});
