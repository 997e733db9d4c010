// Trusts a private certificate authority and shows a client certificate, on Node. Through a proxy if PROXY_URL is set.
import { readFileSync } from "node:fs";
import { CallTransfer } from "@call-transfer/sdk";
import { Agent, ProxyAgent } from "undici";

const { CA_FILE, CERT_FILE, KEY_FILE, PROXY_URL } = process.env;
if (!CA_FILE || !CERT_FILE || !KEY_FILE) throw new Error("Set CA_FILE, CERT_FILE and KEY_FILE.");
const tls = {
  ca: readFileSync(CA_FILE),
  cert: readFileSync(CERT_FILE),
  key: readFileSync(KEY_FILE),
  // Milliseconds for the connection and the handshake.
  timeout: 5000,
};
const dispatcher = PROXY_URL ? new ProxyAgent({ uri: PROXY_URL, requestTls: tls }) : new Agent({ connect: tls });
const client = new CallTransfer({ fetchOptions: { dispatcher } });

const { meta } = await client.calls.list({ limit: 1 });
console.log(`${meta.total} calls`);
await dispatcher.close();
