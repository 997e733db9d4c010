import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

const { apiKey, flows, numbers, recipients } = demo;
const backend = createBackend();
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey,
  fetch: backend.fetch,
});
const placed = await client.calls.create({
  flowId: flows.published,
  fromNumber: numbers.working,
  toNumber: recipients.anyone,
});
console.log("placed:", placed.type);

const events = await backend.advance({ by: 60_000 });
console.log("a minute later:", events[0]?.type);
