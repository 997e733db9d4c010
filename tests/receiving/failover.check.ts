// What a store keeps when Redis hangs, restarts, or loses its primary.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createWebhookHandler, type EventStore, signWebhook } from "@call-transfer/sdk/webhooks";
import { ioredisEventStore, type RedisEventStoreOptions, redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Redis } from "ioredis";
import { createClient, createClientPool } from "redis";
import { limitMs } from "./server-process.ts";
import { type RedisServer, startRedis } from "./servers.ts";

/** Opens a store over a client that reports a lost connection at once. */
type Open = (server: RedisServer, options?: RedisEventStoreOptions) => Promise<EventStore>;

const closings: (() => unknown)[] = [];
after(() => {
  for (const close of closings) close();
});

const reconnectMs = 20;
const socket = { reconnectStrategy: reconnectMs };
const stores: Readonly<Record<string, Open>> = {
  redis: async ({ url }, options) => {
    const client = createClient({ url, disableOfflineQueue: true, socket }).on("error", () => {});
    await client.connect();
    closings.push(() => client.destroy());
    return redisEventStore(client, options);
  },
  "a pool of redis": async ({ url }, options) => {
    const pool = createClientPool({ url, disableOfflineQueue: true, socket }, { minimum: 4, maximum: 4 });
    pool.on("error", () => {});
    await pool.connect();
    closings.push(() => pool.destroy());
    return redisEventStore(pool, options);
  },
  ioredis: async ({ url }, options) => {
    const settings = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => reconnectMs };
    const client = new Redis(url, { ...settings, lazyConnect: true }).on("error", () => {});
    await client.connect();
    closings.push(() => client.disconnect());
    return ioredisEventStore(client, options);
  },
};

const longMs = 600_000;
/** More of them than the connection to a replica that hangs can hold. */
const answer = JSON.stringify("a".repeat(24_000));

/** Completes events until the predicate says stop. Returns which were acknowledged, and how many were rejected. */
async function completeMany(store: EventStore, prefix: string, isOver: (done: number, rejected: number) => boolean) {
  const acknowledged: string[] = [];
  let [next, rejected] = [0, 0];
  const lane = async () => {
    while (!isOver(acknowledged.length, rejected)) {
      const key = `${prefix}:${next++}`;
      try {
        assert.deepEqual(await store.claim(key, key, longMs), { state: "mine" });
        assert.equal(await store.complete(key, key, answer, longMs), true);
        acknowledged.push(key);
      } catch (error) {
        if (!/replicas confirmed/.test(String(error))) throw error;
        rejected += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return { acknowledged, rejected };
}

/** Ends the primary and makes its replica, which hangs, the next one. Returns the events that it has forgotten. */
async function lostAfterFailover(
  { primary, replica }: { primary: RedisServer; replica: RedisServer },
  keys: readonly string[],
): Promise<string[]> {
  primary.signal("SIGKILL");
  replica.signal("SIGCONT");
  await replica.command("replicaof", "no", "one");
  const store = await stores.redis?.(replica);
  const lost: string[] = [];
  for (const key of keys) if ((await store?.claim(key, "another", 1))?.state !== "done") lost.push(key);
  return lost;
}

async function withReplica(use: (servers: { primary: RedisServer; replica: RedisServer }) => Promise<void>) {
  await using primary = await startRedis();
  await using replica = await startRedis({ replicaOf: primary });
  await use({ primary, replica });
}

describe("a primary that is lost while its replica hangs", { concurrency: false }, () => {
  for (const [name, open] of Object.entries(stores)) {
    it(`takes acknowledged answers with it, over ${name}`, async (test) => {
      await withReplica(async ({ primary, replica }) => {
        const store = await open(primary);
        replica.signal("SIGSTOP");
        const { acknowledged } = await completeMany(store, "event", (done) => done >= 1000);
        const lost = await lostAfterFailover({ primary, replica }, acknowledged);
        test.diagnostic(`${lost.length} of ${acknowledged.length} acknowledged answers are lost`);
        assert.ok(lost.length > 0);
      });
    });

    it(`takes none with it where replicas must confirm, over ${name}`, async (test) => {
      await withReplica(async ({ primary, replica }) => {
        const store = await open(primary, { waitForReplicas: 1, waitTimeoutMs: 50 });
        // On a busy machine, some are rejected while the replica still runs.
        let failedBefore: number | undefined;
        const { acknowledged, rejected } = await completeMany(store, "event", (done, failed) => {
          if (done >= 300 && failedBefore === undefined) {
            failedBefore = failed;
            replica.signal("SIGSTOP");
          }
          return failedBefore !== undefined && failed >= failedBefore + 20;
        });
        const lost = await lostAfterFailover({ primary, replica }, acknowledged);
        test.diagnostic(`${lost.length} of ${acknowledged.length} acknowledged answers are lost, ${rejected} rejected`);
        assert.ok(acknowledged.length >= 300);
        assert.deepEqual(lost, []);
      });
    });
  }
});

const secret = "secret";

async function deliver(receiver: (request: Request) => Promise<Response>, body: string): Promise<number> {
  const headers = { "Service-Signature": await signWebhook(body, { secret }) };
  return (await receiver(new Request("http://localhost/", { method: "POST", headers, body }))).status;
}

/** A receiver, and how often it handled each event. */
function receiverOf(store: EventStore, onStoreError: "handle" | "refuse") {
  const handled = new Map<string, number>();
  const errors: string[] = [];
  const receiver = createWebhookHandler({
    ...{ secret, store, onStoreError, storeTimeoutMs: 1000, waitMs: 1000 },
    onError: (error) => errors.push(String(error)),
    onEvent: (event) => {
      handled.set(event.type, (handled.get(event.type) ?? 0) + 1);
    },
  });
  return { receiver, handled, errors };
}

const eventOf = (type: string) => JSON.stringify({ type });

/** Delivers until the receiver accepts. */
async function untilAccepted(receiver: (request: Request) => Promise<Response>, body: string): Promise<void> {
  const limit = AbortSignal.timeout(limitMs);
  while ((await deliver(receiver, body)) !== 204) limit.throwIfAborted();
}

describe("a receiver whose Redis hangs", () => {
  for (const [name, open] of Object.entries(stores)) {
    it(`refuses or handles, and recovers, over ${name}`, async () => {
      await using server = await startRedis();
      const [strict, lenient] = [
        receiverOf(await open(server, { keyPrefix: "strict:" }), "refuse"),
        receiverOf(await open(server, { keyPrefix: "lenient:" }), "handle"),
      ];
      server.signal("SIGSTOP");
      assert.equal(await deliver(strict.receiver, eventOf("during")), 503);
      assert.equal(await deliver(lenient.receiver, eventOf("during")), 204);
      assert.match(lenient.errors.join(), /event store did not answer within 1000 ms/);
      server.signal("SIGCONT");
      for (const { receiver, handled } of [strict, lenient]) {
        await untilAccepted(receiver, eventOf("after"));
        assert.equal(await deliver(receiver, eventOf("after")), 204);
        assert.equal(handled.get("after"), 1);
      }
      assert.equal(lenient.handled.get("during"), 1);
    });
  }
});

describe("a receiver whose Redis restarts", () => {
  for (const [name, open] of Object.entries(stores)) {
    it(`refuses meanwhile, and then has the answers from before, over ${name}`, async () => {
      await using server = await startRedis({ settings: ["--appendfsync", "always"] });
      const { receiver, handled } = receiverOf(await open(server), "refuse");
      assert.equal(await deliver(receiver, eventOf("before")), 204);
      server.signal("SIGKILL");
      assert.equal(await deliver(receiver, eventOf("during")), 503);
      await server.restart();
      await untilAccepted(receiver, eventOf("before"));
      await untilAccepted(receiver, eventOf("after"));
      assert.deepEqual(Object.fromEntries(handled), { before: 1, after: 1 });
    });
  }
});
