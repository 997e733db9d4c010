// Signs an offer as the platform does, and verifies it. In a clone:
//   npm run example -- examples/verify-webhook.ts
import {
  isTransferOffer,
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from "@call-transfer/sdk/webhooks";

const secret = "a-secret-of-this-test";
const body = JSON.stringify({
  type: "transfer.offer",
  id: "1",
  destinationId: "front-desk",
});
const headers = { "Service-Signature": await signWebhook(body, { secret }) };

const event = await verifyWebhook({ body, headers }, { secret });
if (isTransferOffer(event))
  console.log(`a call is offered to ${event.destinationId}`);

for (const changed of [
  { body: `${body} `, headers },
  { body, headers: {} },
]) {
  const refusal = await verifyWebhook(changed, { secret }).catch(
    (error) => error,
  );
  if (refusal instanceof WebhookVerificationError) console.log(refusal.message);
}
