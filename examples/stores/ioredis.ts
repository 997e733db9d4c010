import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Redis } from "ioredis";

// While Redis is away, commands fail at once. Otherwise the client would keep them for later.
const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, lazyConnect: true };
const client = new Redis(process.env.REDIS_URL ?? "", options);
client.on("error", (error) => console.error(error));
// Without Redis, this rejects after the first attempt. The process starts all the same, and the client tries again.
await client.connect().catch(() => undefined);

export const receive = createWebhookHandler({
  secret: process.env.SIGNING_SECRET ?? "",
  store: redisEventStore((script, key, args) => client.eval(script, 1, key, ...args)),
  onEvent(event) {
    if (isTransferOffer(event)) console.log(`a call is offered to ${event.destinationId}`);
  },
});
