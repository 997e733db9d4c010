// What a handler does when Redis hangs or restarts.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createWebhookHandler, type EventStore, signWebhook } from "@call-transfer/sdk/webhooks";
import { type RedisEventStoreOptions, redisEventStore } from "@call-transfer/sdk/webhooks/redis";
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
    return redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }), options);
  },
  "a pool of redis": async ({ url }, options) => {
    const pool = createClientPool({ url, disableOfflineQueue: true, socket }, { minimum: 4, maximum: 4 });
    pool.on("error", () => {});
    await pool.connect();
    closings.push(() => pool.destroy());
    return redisEventStore((script, key, args) => pool.eval(script, { keys: [key], arguments: args }), options);
  },
  ioredis: async ({ url }, options) => {
    const settings = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => reconnectMs };
    const client = new Redis(url, { ...settings, lazyConnect: true }).on("error", () => {});
    await client.connect();
    closings.push(() => client.disconnect());
    return redisEventStore((script, key, args) => client.eval(script, 1, key, ...args), options);
  },
};

const secret = "secret";

async function deliver(receiver: (request: Request) => Promise<Response>, body: string): Promise<number> {
  const headers = { "Service-Signature": await signWebhook(body, { secret }) };
  return (await receiver(new Request("http://localhost/", { method: "POST", headers, body }))).status;
}

/** A receiver, and how often it handled each event. */
function receiverOf(store: EventStore, onStoreError: "handle" | "reject") {
  const handled = new Map<string, number>();
  const errors: string[] = [];
  const receiver = createWebhookHandler({
    ...{ secret, store, onStoreError, storeTimeoutMs: 1000, duplicateWaitMs: 1000 },
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

describe("a handler whose Redis hangs", () => {
  for (const [name, open] of Object.entries(stores)) {
    it(`rejects or handles, and recovers, over ${name}`, async () => {
      await using server = await startRedis();
      const [strict, lenient] = [
        receiverOf(await open(server, { keyPrefix: "strict:" }), "reject"),
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

describe("a handler whose Redis restarts", () => {
  for (const [name, open] of Object.entries(stores)) {
    it(`rejects meanwhile, and then has the answers from before, over ${name}`, async () => {
      await using server = await startRedis({ settings: ["--appendfsync", "always"] });
      const { receiver, handled } = receiverOf(await open(server), "reject");
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
