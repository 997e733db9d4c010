// Sends the SDK's requests through a proxy, on Node.
import { CallTransfer } from "@call-transfer/sdk";
import { ProxyAgent } from "undici";

const { PROXY_URL } = process.env;
if (!PROXY_URL) throw new Error("Set PROXY_URL.");
// undici 7 works with the fetch of Node 20 to 26. Other majors fail on some of them.
const dispatcher = new ProxyAgent(PROXY_URL);
const client = new CallTransfer({ fetchOptions: { dispatcher } });

const { meta } = await client.calls.list({ limit: 1 });
console.log(`${meta.total} calls`);
await dispatcher.close();
