// The API answers 503 once and places nothing. The SDK repeats the request.
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";

const { apiKey, flows, numbers, recipients } = demo;
const backend = createBackend({ faults: ["createCall 503 once"] });
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
for (const { method, path, status } of backend.journal.list()) {
  console.log(method, path, status);
}
