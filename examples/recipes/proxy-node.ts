// Sends the SDK's requests through a proxy, on Node.
import { CallTransfer } from "@call-transfer/sdk";
import { ProxyAgent } from "undici";

// Take the major version of undici that Node itself has: process.versions.undici.
const dispatcher = new ProxyAgent(process.env.PROXY_URL ?? "");
const client = new CallTransfer({ fetchOptions: { dispatcher } });

const { meta } = await client.calls.list({ limit: 1 });
console.log(`${meta.total} calls`);
await dispatcher.close();
