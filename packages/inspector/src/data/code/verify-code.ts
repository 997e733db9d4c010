import { webhookSignature } from "@call-transfer/spec";
import { shellText } from "./shell-command.ts";

const { header, scheme, separator, toleranceSecs } = webhookSignature;

/** A receiver with the SDK. It verifies, rejects old signatures and handles each event once. */
export const verifyWithSdk = `import { createServer } from "node:http";
import { createWebhookHandler, isTransferOffer, toNodeHandler } from "@call-transfer/sdk/webhooks";

const receive = createWebhookHandler({
  // During a rotation both: secret: [current, previous]
  secret: process.env.SIGNING_SECRET ?? "",
  onEvent(event) {
    if (isTransferOffer(event)) console.log(\`a call is offered to \${event.destinationId}\`);
  },
});
createServer(toNodeHandler(receive)).listen(4011);
`;

/** The same check by hand, in Node. */
export const verifyByHand = `import { createHmac, timingSafeEqual } from "node:crypto";

/** body: the bytes of the request before any parser. secrets: during a rotation both. */
export function isGenuine(body, header, secrets) {
  const parts = header.split(",").map((part) => part.split("="));
  const t = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\\d+$/.test(t) || Math.abs(Date.now() / 1000 - Number(t)) > ${toleranceSecs}) return false;
  const sent = parts.filter(([name]) => name === "${scheme}").map(([, hex = ""]) => Buffer.from(hex, "hex"));
  return secrets.some((secret) => {
    const expected = createHmac("sha256", secret).update(\`\${t}${separator}\`).update(body).digest();
    return sent.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
}

// isGenuine(rawBody, request.headers["${header.toLowerCase()}"], [process.env.SIGNING_SECRET])
`;

/** A delivery as a curl command: the same bytes with the same signature. */
export function deliveryAsCurl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = [
    `curl -X POST ${shellText(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    `--data-binary ${shellText(body)}`,
  ];
  return lines.join(" \\\n  ");
}
