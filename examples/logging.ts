// Logs attempts and retries, and names a request for the support of the
// platform. In a clone:
//   npm run example -- examples/logging.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer, isApiError } from "@call-transfer/sdk";

const backend = createBackend();
const write = (level: string) => (message: string) =>
  console.log(level.padEnd(5), message);
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
  // Or `console`, or pino, or any other object with these four methods.
  logger: {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  },
});

const { requestId } = await client.roles.list().withResponse();
console.log(`the roles came with request ${requestId}`);

// A limit of requests. The SDK waits for as long as the API asks, and tries
// again.
backend.faults.add({ do: { rateLimit: { retryAfterSecs: 1 } } });
await client.roles.list();

// A refusal. The message names the request too.
const { error } = await client.members
  .getAvailability(demo.members.foreign)
  .result();
if (isApiError(error, "resource_not_found"))
  console.log(`ask support about request ${error.requestId}`);
