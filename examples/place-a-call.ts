import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

const { apiKey, flows, numbers, recipients } = demo;
const backend = createBackend();
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey,
  fetch: backend.fetch,
});
await client.calls.create({
  flowId: flows.published,
  fromNumber: numbers.working,
  toNumber: recipients.anyone,
});
console.log(await backend.advance({ by: 60_000 }));
