// Three phones ring, and time stands still.
// In the playground, answer one of them under Calls, or move the time.
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

const { apiKey, destinations } = demo;
const backend = createBackend();
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey,
  fetch: backend.fetch,
});

const phones = [destinations.phone, ...destinations.extra.slice(0, 2)];
const group = await client.destinationGroups.create({
  name: "Front desk",
  members: phones.map((destinationId) => ({ destinationId })),
});

backend.events.follow(({ at, type, outcome }) => {
  if (!type.startsWith("transfer.")) return;
  console.log(at.slice(11, 19), outcome ? `${type}: ${outcome}` : type);
});
backend.transfers.start({ groupId: group.id });
