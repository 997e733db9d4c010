import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Redis } from "ioredis";

const { CALL_TRANSFER_SIGNING_SECRET: secret, REDIS_URL } = process.env;
if (!secret || !REDIS_URL) throw new Error("Set CALL_TRANSFER_SIGNING_SECRET and REDIS_URL.");
// While Redis is away, commands fail at once. Otherwise the client would keep them for later.
const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, lazyConnect: true };
const client = new Redis(REDIS_URL, options);
client.on("error", (error) => console.error(error));
// Without Redis, this rejects after the first attempt. The process starts all the same, and the client tries again.
await client.connect().catch(() => undefined);

export const receive = createWebhookHandler({
  secret,
  store: redisEventStore((script, key, args) => client.eval(script, 1, key, ...args)),
  onEvent(event) {
    if (isTransferOffer(event)) console.log(`a call is offered to ${event.destinationId}`);
  },
});
