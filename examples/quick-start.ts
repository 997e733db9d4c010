// Places a call, and lists all calls. In a clone:
//   npm run example -- examples/quick-start.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

// The platform, in this process. For the real one, leave out `fetch`, and set
// its `baseUrl` and your `apiKey`.
const { fetch } = createBackend();
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch,
});

const placed = await client.calls.create({
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
});
if (placed.type === "initiated")
  console.log(`call ${placed.callId} is being placed`);
else if (placed.type === "queued")
  console.log(`queued at position ${placed.position}`);
else console.log(`accepted as ${placed.type}`);

for await (const call of client.calls.list({ limit: 50 })) {
  console.log(`${call.direction} call ${call.id}: ${call.duration} s`);
}
