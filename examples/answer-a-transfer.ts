// Three phones ring, and their time stands still. In the playground, answer one under Transfers, or move the time.
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";

const backend = createBackend();
const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch });
const { phone, extra } = demo.destinations;

const group = await client.destinationGroups.create({
  name: "Front desk",
  members: [phone, ...extra.slice(0, 2)].map((destinationId) => ({ destinationId })),
});

backend.events.follow(({ at, type, outcome }) => {
  if (type.startsWith("transfer.")) console.log([at.slice(11, 19), type, outcome].join(" ").trim());
});
backend.transfers.start({ groupId: group.id });
