// The event store in Redis over each client, alone and in a cluster.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { EventStore } from "@call-transfer/sdk/webhooks";
import { type RedisEventStoreOptions, type RunRedisScript, redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Cluster, Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { Redis as Valkey } from "iovalkey";
import { createClient, createClientPool, createCluster } from "redis";
import { createClient as createClient4 } from "redis-4";
import { createClient as createClient5 } from "redis-5";
import { startRedis, startRedisCluster } from "./servers.ts";
import { testStore } from "./store-cases.ts";

const primary = await startRedis();
const cluster = await startRedisCluster();
const rootNode = { host: "127.0.0.1", port: cluster[0]?.port ?? 0 };
const closings: (() => unknown)[] = [];

after(async () => {
  for (const close of closings) await close();
  for (const server of [primary, ...cluster]) await server.stop();
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
/** A client or cluster of the package `redis`. */
interface NodeClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}
/** A client or cluster of `ioredis` or `iovalkey`. */
interface IoClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
}
const nodeClients: Readonly<Record<string, () => Promise<() => NodeClient>>> = {
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
const ioClients: Readonly<Record<string, () => Promise<() => IoClient>>> = {
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
const opened: [string, RunRedisScript, RunRedisScript][] = [];
for (const [name, connect] of Object.entries(nodeClients)) {
  const open = await connect();
  const run =
    (client: NodeClient): RunRedisScript =>
    (script, key, args) =>
      client.eval(script, { keys: [key], arguments: args });
  opened.push([name, run(open()), run(open())]);
}
for (const [name, connect] of Object.entries(ioClients)) {
  const open = await connect();
  const run =
    (client: IoClient): RunRedisScript =>
    (script, key, args) =>
      client.eval(script, 1, key, ...args);
  opened.push([name, run(open()), run(open())]);
}
const [first] = opened;
const redisStore = (options: RedisEventStoreOptions): EventStore =>
  redisEventStore(first?.[1] ?? (() => Promise.reject(new Error("There is no client."))), options);

for (const [name, ...runs] of opened) {
  let turn = 0;
  testStore(name, () => redisEventStore(runs[turn++ % 2 === 0 ? 0 : 1]));
}

describe("a store in Redis", () => {
  it("starts its keys with the prefix", async () => {
    await redisStore({ keyPrefix: "app:" }).complete("event", "owner", "1");
    assert.equal(await primary.command("keys", "app:*"), "app:event");
  });

  it("forgets a response after retentionMs, and not before", async () => {
    const store = redisStore({ retentionMs: 300 });
    await store.complete("kept", "owner", "1");
    assert.deepEqual(await store.claim("kept", "other", 1000), { state: "completed", response: "1" });
    const limit = AbortSignal.timeout(30_000);
    while ((await store.claim("kept", "other", 1000)).state !== "claimed") limit.throwIfAborted();
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
