// Runs what docs/architecture.md follows through the code: two calls, one whose answer is lost, and a transfer that rings.
import { demo } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { CallTransfer, OutcomeUnknownError } from "@call-transfer/sdk";

const { apiKey, destinations, flows, numbers, recipients } = demo;
const call = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };

// An attempt is refused, so that the SDK decides on a retry. The app answers its offer after 8 seconds.
const server = await startMockServer({
  port: 0,
  clockMode: "frozen",
  faults: ["createCall rateLimit 0s, pass, process_then_reset"],
  scenarios: ["slow-app"],
});
const client = new CallTransfer({ baseUrl: server.url, apiKey });
await client.calls.create(call);
const { error } = await client.calls.create(call).result();
if (error instanceof OutcomeUnknownError) await error.reconcile();

const { id: groupId } = await client.destinationGroups.create({
  name: "Front desk",
  members: [{ destinationId: destinations.phone }, { destinationId: destinations.app }],
});
await fetch(`${server.url}/_control/v1/transfers`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ groupId, script: [{ destinationId: destinations.phone, declineAfterSecs: 4 }] }),
});
await server.backend.advance({ by: 30_000 });
await server.close();
