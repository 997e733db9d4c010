import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";

const backend = createBackend();
const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch });
await client.calls.create({
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
});
console.log(await backend.advance({ by: 60_000 }));
