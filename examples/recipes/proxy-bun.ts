// Sends the SDK's requests through a proxy, on Bun.
//   bun add @call-transfer/sdk
//   CALL_TRANSFER_BASE_URL=… CALL_TRANSFER_API_KEY=… PROXY_URL=http://proxy.example:8080 bun proxy-bun.ts
import { CallTransfer } from "@call-transfer/sdk";

const { PROXY_URL } = process.env;
if (!PROXY_URL) throw new Error("Set PROXY_URL.");
const client = new CallTransfer({ fetchOptions: { proxy: PROXY_URL } });

const { meta } = await client.calls.list({ limit: 1 });
console.log(`${meta.total} calls`);
