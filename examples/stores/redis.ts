import { setTimeout } from "node:timers/promises";
import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { createClient } from "redis";

const { CALL_TRANSFER_SIGNING_SECRET: secret, REDIS_URL } = process.env;
if (!secret || !REDIS_URL) throw new Error("Set CALL_TRANSFER_SIGNING_SECRET and REDIS_URL.");
// While Redis is away, commands fail at once. Otherwise the client would keep them for later.
const client = createClient({ url: REDIS_URL, disableOfflineQueue: true });
client.on("error", (error) => console.error(error));
// Without Redis, this waits until it is there. The process starts all the same, after a second.
await Promise.race([client.connect(), setTimeout(1000)]);

export const receive = createWebhookHandler({
  secret,
  store: redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args })),
  onEvent(event) {
    if (isTransferOffer(event)) console.log(`a call is offered to ${event.destinationId}`);
  },
});
