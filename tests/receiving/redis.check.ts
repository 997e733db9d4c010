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
import { testStore } from "./stores.ts";

const primary = await startRedis();
const cluster = await startRedisCluster();
const rootNode = { host: "127.0.0.1", port: cluster[0]?.port ?? 0 };
const closings: (() => unknown)[] = [];

after(async () => {
  for (const close of closings) await close();
  for (const server of [primary, ...cluster]) await server.stop();
});

const { url } = primary;
/** A client or cluster of the package `redis`, as far as its versions agree. */
interface NodeClient {
  connect(): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}
/** A client or cluster of `ioredis` or `iovalkey`. */
interface IoClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
  disconnect(): void;
}

/** Connects a client, and closes it at the end. */
async function node<Client extends NodeClient>(client: Client, close: (client: Client) => unknown) {
  await client.connect();
  closings.push(() => close(client));
  const run: RunRedisScript = (script, key, args) => client.eval(script, { keys: [key], arguments: args });
  return run;
}

async function io(client: IoClient) {
  closings.push(() => client.disconnect());
  const run: RunRedisScript = (script, key, args) => client.eval(script, 1, key, ...args);
  return run;
}

const destroy = (client: { destroy(): unknown }): unknown => client.destroy();
const clients: Readonly<Record<string, () => Promise<RunRedisScript>>> = {
  "redis 4": () => node(createClient4({ url }), (client) => client.disconnect()),
  "redis 5": () => node(createClient5({ url }), destroy),
  "redis 6": () => node(createClient({ url }), destroy),
  "redis 6, RESP 2": () => node(createClient({ url, RESP: 2 }), destroy),
  "redis 6, a pool": () => node(createClientPool({ url }), destroy),
  "redis 6, a cluster": () => node(createCluster({ rootNodes: [{ socket: rootNode }] }), destroy),
  "ioredis 5": () => io(new Redis5(url)),
  "ioredis 6": () => io(new Redis(url)),
  "ioredis 6, a cluster": () => io(new Cluster([rootNode])),
  iovalkey: () => io(new Valkey(url)),
};

for (const [name, connect] of Object.entries(clients)) {
  const runs = [await connect(), await connect()] as const;
  let turn = 0;
  testStore(name, () => redisEventStore(runs[turn++ % 2 === 0 ? 0 : 1]));
}

const own = await node(createClient({ url }), destroy);
const redisStore = (options: RedisEventStoreOptions): EventStore => redisEventStore(own, options);

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
