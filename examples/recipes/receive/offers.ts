// Decides about offers. The servers for Node share it.
import { readFile } from "node:fs/promises";
import { createWebhookHandler, type EventStore, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Redis } from "ioredis";

const { REDIS_URL } = process.env;

function connectTo(url: string): EventStore {
  // While Redis is away, commands fail within a moment, and offers are handled without it.
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => 200 });
  redis.on("error", console.error);
  return redisEventStore((script, key, args) => redis.eval(script, 1, key, ...args));
}

export const offers = createWebhookHandler({
  // A mounted file, such as a Kubernetes secret: one signing secret in each line. It is read for each offer, so that a
  // rotation needs no restart. Without the comment for turbopack, Next.js would add the whole project to the server.
  async secret() {
    const { CALL_TRANSFER_SIGNING_SECRETS_FILE: file } = process.env;
    if (!file) throw new Error("Set CALL_TRANSFER_SIGNING_SECRETS_FILE.");
    return (await readFile(/* turbopackIgnore: true */ file, "utf8")).trim().split(/\s+/);
  },
  // Each offer is handled once. Several processes share a store. One process can do with its memory.
  ...(REDIS_URL && { store: connectTo(REDIS_URL) }),
  onEvent(event) {
    if (!isTransferOffer(event)) return undefined;
    console.log(`offer ${event.id}`);
    // Any 2xx takes the call. Another status leaves it to others.
    return new Response(null, { status: 204 });
  },
  onError: (error) => console.error(error),
});
