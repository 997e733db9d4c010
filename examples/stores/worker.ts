import { createWebhookHandler, isTransferOffer } from "@call-transfer/sdk/webhooks";
import { durableObjectEventStore, type EventStoreNamespace } from "@call-transfer/sdk/webhooks/durable-object";

export { EventStoreObject } from "@call-transfer/sdk/webhooks/durable-object";

interface Env {
  readonly SIGNING_SECRET: string;
  readonly EVENTS: EventStoreNamespace<unknown>;
}

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const receive = createWebhookHandler({
      secret: env.SIGNING_SECRET,
      store: durableObjectEventStore(env.EVENTS),
      onEvent(event) {
        if (isTransferOffer(event)) console.log(`a call is offered to ${event.destinationId}`);
      },
    });
    return receive(request);
  },
};
