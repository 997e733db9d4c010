// Sends the SDK's requests through a proxy, on Deno.
//   deno add npm:@call-transfer/sdk
//   CALL_TRANSFER_BASE_URL=… CALL_TRANSFER_API_KEY=… PROXY_URL=http://proxy.example:8080 \
//     deno run --allow-env --allow-net proxy-deno.ts
import { CallTransfer } from "@call-transfer/sdk";

const url = Deno.env.get("PROXY_URL");
if (!url) throw new Error("Set PROXY_URL.");
const proxy = Deno.createHttpClient({ proxy: { url } });
const client = new CallTransfer({ fetchOptions: { client: proxy } });

const { meta } = await client.calls.list({ limit: 1 });
console.log(`${meta.total} calls`);
proxy.close();
