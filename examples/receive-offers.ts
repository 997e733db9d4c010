import { isTransferOffer, verifyWebhook, WebhookVerificationError } from "@call-transfer/sdk/webhooks";

/** Answers a webhook. During a rotation either secret will do, so give both. */
export async function handle(request: Request, secrets: string[]): Promise<Response> {
  try {
    const event = await verifyWebhook(request, { secret: secrets });
    if (isTransferOffer(event)) console.log(`a call is offered to ${event.destinationId}`);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.message, { status: 400 });
  }
}
