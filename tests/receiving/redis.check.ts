// Event stores in Redis over each client, alone and in a cluster, with and without a replica that must confirm.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { EventStore } from "@call-transfer/sdk/webhooks";
import {
  type IoredisClient,
  ioredisEventStore,
  type RedisClient,
  type RedisEventStoreOptions,
  redisEventStore,
} from "@call-transfer/sdk/webhooks/redis";
import { Cluster, Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { Redis as Valkey } from "iovalkey";
import { createClient, createClientPool, createCluster } from "redis";
import { createClient as createClient4 } from "redis-4";
import { createClient as createClient5 } from "redis-5";
import { startRedis, startRedisCluster } from "./servers.ts";
import { testStore } from "./store-cases.ts";

const primary = await startRedis();
const replica = await startRedis({ replicaOf: primary });
const cluster = await startRedisCluster();
const replicas = [replica, ...cluster.slice(1)];
const rootNode = { host: "127.0.0.1", port: cluster[0]?.port ?? 0 };
const closings: (() => unknown)[] = [];

after(async () => {
  for (const close of closings) await close();
  for (const server of [replica, primary, ...cluster]) await server.stop();
});

/** Connects two clients, and closes them at the end. */
async function pair<Client>(connect: () => Client, close: (client: Client) => unknown): Promise<() => Client> {
  const clients = [connect(), connect()] as const;
  let opened = 0;
  for (const client of clients) {
    if (client instanceof Object && "connect" in client && !("status" in client))
      await (client.connect as () => Promise<unknown>)();
    closings.push(() => close(client));
  }
  return () => clients[opened++ % 2 === 0 ? 0 : 1];
}

const { url } = primary;
const nodeClients: Readonly<Record<string, () => Promise<() => RedisClient>>> = {
  "redis 4": () =>
    pair(
      () => createClient4({ url }),
      (client) => client.disconnect(),
    ),
  "redis 5": () =>
    pair(
      () => createClient5({ url }),
      (client) => client.destroy(),
    ),
  "redis 6": () =>
    pair(
      () => createClient({ url }),
      (client) => client.destroy(),
    ),
  "redis 6, RESP 2": () =>
    pair(
      () => createClient({ url, RESP: 2 }),
      (client) => client.destroy(),
    ),
  "redis 6, a pool": () =>
    pair(
      () => createClientPool({ url }),
      (client) => client.destroy(),
    ),
  "redis 6, a cluster": () =>
    pair(
      () => createCluster({ rootNodes: [{ socket: rootNode }] }),
      (client) => client.destroy(),
    ),
};
const ioClients: Readonly<Record<string, () => Promise<() => IoredisClient>>> = {
  "ioredis 5": () =>
    pair(
      () => new Redis5(url),
      (client) => client.disconnect(),
    ),
  "ioredis 6": () =>
    pair(
      () => new Redis(url),
      (client) => client.disconnect(),
    ),
  "ioredis 6, a cluster": () =>
    pair(
      () => new Cluster([rootNode]),
      (client) => client.disconnect(),
    ),
  iovalkey: () =>
    pair(
      () => new Valkey(url),
      (client) => client.disconnect(),
    ),
};
const everyClient: Readonly<Record<string, (options: RedisEventStoreOptions) => EventStore>> = Object.fromEntries([
  ...(await Promise.all(
    Object.entries(nodeClients).map(async ([name, connect]) => {
      const open = await connect();
      return [name, (options: RedisEventStoreOptions) => redisEventStore(open(), options)] as const;
    }),
  )),
  ...(await Promise.all(
    Object.entries(ioClients).map(async ([name, connect]) => {
      const open = await connect();
      return [name, (options: RedisEventStoreOptions) => ioredisEventStore(open(), options)] as const;
    }),
  )),
]);

for (const [name, open] of Object.entries(everyClient)) {
  testStore(name, () => open({}));
  testStore(`${name}, confirmed by a replica`, () => open({ waitForReplicas: 1, waitTimeoutMs: 30_000 }));
}

describe("a store that waits for replicas rejects what none confirms", () => {
  for (const [name, open] of Object.entries(everyClient)) {
    it(name, async () => {
      const store = open({ waitForReplicas: 1, waitTimeoutMs: 20 });
      const patient = open({ waitForReplicas: 1, waitTimeoutMs: 30_000 });
      const unsafe = open({});
      const [key, owner] = [`${name}, without replicas`, crypto.randomUUID()];
      for (const server of replicas) server.signal("SIGSTOP");
      try {
        const problem = /^Error: 0 of 1 replicas confirmed the write within 20 ms\./;
        await assert.rejects(() => store.claim(key, owner, 600_000), problem);
        await assert.rejects(() => store.complete(key, owner, "1", 600_000), problem);
        // The same once more: what an error left behind does not count as confirmed.
        await assert.rejects(() => store.complete(key, owner, "1", 600_000), problem);
        assert.equal(await unsafe.complete(`${key}, unsafe`, owner, "1", 600_000), true);
      } finally {
        for (const server of replicas) server.signal("SIGCONT");
      }
      assert.equal(await patient.complete(key, owner, "1", 600_000), true);
      assert.deepEqual(await patient.claim(key, owner, 600_000), { state: "done", answer: "1" });
    });
  }
});

describe("a store in Redis", () => {
  it("starts its keys with the prefix", async () => {
    const store = everyClient["redis 6"]?.({ keyPrefix: "app:" });
    await store?.complete("event", "owner", "1", 600_000);
    assert.equal(await primary.command("keys", "app:*"), "app:event");
  });

  it("leaves no key that does not run out", async () => {
    assert.ok(Number(await primary.command("dbsize")) > 100);
    const forever = `local found = {}
      for _, key in ipairs(redis.call("keys", "*")) do
        if redis.call("pttl", key) == -1 then found[#found + 1] = key end
      end
      return found`;
    assert.equal(await primary.command("eval", forever, "0"), "");
  });
});
