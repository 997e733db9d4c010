// Sends the SDK's requests through a proxy, on Node.
//   npm install undici@7 @call-transfer/sdk
//   CALL_TRANSFER_BASE_URL=… CALL_TRANSFER_API_KEY=… PROXY_URL=http://proxy.example:8080 node proxy-node.ts
import { CallTransfer } from "@call-transfer/sdk";
import { ProxyAgent } from "undici";

// Take the major version of undici that Node itself has: process.versions.undici.
const dispatcher = new ProxyAgent(process.env.PROXY_URL ?? "");
const client = new CallTransfer({ fetchOptions: { dispatcher } });

const { meta } = await client.calls.list({ limit: 1 });
console.log(`${meta.total} calls`);
await dispatcher.close();
