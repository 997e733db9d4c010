import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";

/** A handler of requests. During a rotation either secret will do, so give both. */
export const offersReceiver = (secrets: string[]) =>
  createWebhookHandler({
    secret: secrets,
    onEvent(event) {
      if (isTransferOffer(event)) console.log(`a call is offered to ${event.destinationId}`);
    },
    onError: (error) => console.error(error),
  });
