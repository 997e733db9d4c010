// The API refuses a call once with 429. The SDK waits, and repeats the request.
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

const { apiKey, flows, numbers, recipients } = demo;
const backend = createBackend({ faults: ["createCall rateLimit 1s once"] });
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey,
  fetch: backend.fetch,
});

const call = await client.calls.create({
  flowId: flows.published,
  fromNumber: numbers.working,
  toNumber: recipients.anyone,
});
console.log(call);

// Two requests, one call.
for (const { method, path, status } of backend.requests.list()) {
  console.log(method, path, status);
}
