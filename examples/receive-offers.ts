// Receives offers, handles a repeated one once, and keeps receiving while its
// secret is rotated. In a clone:
//   npm run example -- examples/receive-offers.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";
import {
  createWebhookHandler,
  isTransferOffer,
} from "@call-transfer/sdk/webhooks";

// Yours are in a file or a secret store. They are read for each webhook, so
// that a rotation needs no restart.
let secrets: string[] = [demo.signingSecret];
let handled = 0;
const receive = createWebhookHandler({
  secret: () => secrets,
  // The platform of this program has a clock of its own. Yours has the same
  // time as you.
  clock: { now: () => backend.clock.now() },
  onEvent(event) {
    if (isTransferOffer(event)) handled += 1;
  },
});

// The platform, in this process. It sends its webhooks to the handler above.
const backend = createBackend({
  fetch: (url, init) => receive(new Request(url, init)),
});
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
});
const destinationId = demo.destinations.app;
const offer = async (when: string) => {
  const { id, status, signature } = await backend.deliveries.trigger({
    destinationId,
  });
  console.log(
    `${when}: ${signature?.v1.length} signature(s), answered ${status}`,
  );
  return id;
};

const first = await offer("at first");
await backend.deliveries.redeliver(first);
console.log(`delivered twice, handled ${handled === 1 ? "once" : handled}`);

// 1. Rotate. The new secret is shown this once. From now on, both secrets sign.
const { signingSecret } = await client.destinations.rotateSecret(destinationId);
await offer("after the rotation");
// 2. Within 24 hours, add the new secret.
if (signingSecret) secrets = [signingSecret, demo.signingSecret];
await offer("with both secrets");
// 3. After 24 hours, remove the old one.
await backend.advance({ by: 25 * 60 * 60 * 1000 });
secrets = secrets.slice(0, 1);
await offer("a day later");

// An attacker has no secret.
const forged = new Request("http://localhost/offers", {
  method: "POST",
  body: '{"type":"transfer.offer"}',
});
console.log(`forged: answered ${(await receive(forged)).status}`);
