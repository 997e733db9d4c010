import { CallTransfer } from "@call-transfer/sdk";

const client = new CallTransfer({
  baseUrl: "http://127.0.0.1:4010",
  apiKey: "svc_live_demo0000000000000000000000000001",
});

const placed = await client.calls.create({
  flowId: "f0000000-0000-4000-8000-000000000001",
  fromNumber: "+15550100001",
  toNumber: "+15550200001",
});
if (placed.type === "initiated") console.log(`call ${placed.callId} is being placed`);
else console.log(`queued at position ${placed.position}`);

for await (const call of client.calls.list({ limit: 50 })) {
  console.log(`${call.direction} call ${call.id}: ${call.duration} s`);
}
