// Delivers an offer twice to a program's receiver: node deliver-twice.ts <program> <event>
import { pathToFileURL } from "node:url";
import { signWebhook, type WebhookHandler } from "@call-transfer/sdk/webhooks";

const [program = "", body = ""] = process.argv.slice(2);
const { CALL_TRANSFER_SIGNING_SECRET: secret } = process.env;
if (!secret) throw new Error("Set CALL_TRANSFER_SIGNING_SECRET.");
const { receive } = (await import(pathToFileURL(program).href)) as { receive: WebhookHandler };
for (let copy = 0; copy < 2; copy += 1) {
  const headers = { "Service-Signature": await signWebhook(body, { secret }) };
  const { status } = await receive(new Request("http://localhost/", { method: "POST", headers, body }));
  console.log(`answered ${status}`);
}
process.exit();
