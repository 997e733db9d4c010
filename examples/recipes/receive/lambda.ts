// Receives offers on AWS Lambda, behind API Gateway (a REST or an HTTP API) or a function URL.
//   npm install ioredis @call-transfer/sdk
// Add the layer "AWS Parameters and Secrets Lambda Extension", and set the timeout of the function to 15 seconds: by default it
// is 3, and a duplicate of an offer may wait 8 for the response.
import { createWebhookHandler, isTransferOffer, toLambdaHandler } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Redis } from "ioredis";

const {
  CALL_TRANSFER_SIGNING_SECRETS_ID: secretId,
  REDIS_URL,
  AWS_SESSION_TOKEN = "",
  PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: port = "2773",
} = process.env;
if (!secretId || !REDIS_URL) throw new Error("Set CALL_TRANSFER_SIGNING_SECRETS_ID and REDIS_URL.");
const url = `http://localhost:${port}/secretsmanager/get?secretId=${encodeURIComponent(secretId)}`;

// While Redis is away, commands fail within a moment, and offers are handled without it.
const redis = new Redis(REDIS_URL, { lazyConnect: true, maxRetriesPerRequest: 1, retryStrategy: () => 200 });
redis.on("error", console.error);

/** The secret in Secrets Manager: one signing secret in each line. The extension keeps it for five minutes. */
async function secrets(): Promise<string[]> {
  const headers = { "X-Aws-Parameters-Secrets-Token": AWS_SESSION_TOKEN };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(2000) });
  if (!response.ok) throw new Error(`The secret could not be read: status ${response.status}.`);
  const { SecretString } = (await response.json()) as { SecretString: string };
  return SecretString.trim().split(/\s+/);
}

const offers = createWebhookHandler({
  secret: secrets,
  // Duplicates of an offer reach different instances of the function, so they share a store.
  store: redisEventStore((script, key, args) => redis.eval(script, 1, key, ...args)),
  onEvent(event) {
    if (!isTransferOffer(event)) return undefined;
    console.log(`offer ${event.id}`);
    // Any 2xx takes the call. Another status leaves it to others.
    return new Response(null, { status: 204 });
  },
  onError: (error) => console.error(error),
});

export const handler = toLambdaHandler(offers);
