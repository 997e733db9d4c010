// A Cloudflare Worker that receives offers.
//   npm install @call-transfer/sdk
//   npx wrangler secrets-store secret create STORE_ID --name offer-secrets --scopes workers --remote
//   npx wrangler deploy
// Without --remote, the secret is for `npx wrangler dev` on this machine. wrangler.jsonc has the bindings.
import { createWebhookHandler, isTransferOffer, type WebhookHandler } from "@call-transfer/sdk/webhooks";
import { durableObjectEventStore, type EventStoreNamespace } from "./durable-object.ts";

export { EventStoreObject } from "./durable-object.ts";

interface Env {
  /** Durable Objects, in which the isolates of a Worker share the events that they have handled. */
  readonly EVENTS: EventStoreNamespace<unknown>;
  /** A secret of the Secrets Store: one signing secret in each line. It can change without a deployment. */
  readonly CALL_TRANSFER_SIGNING_SECRETS: { get(): Promise<string> };
}

// One handler for the isolate.
let offers: WebhookHandler | undefined;

const createOffers = (env: Env): WebhookHandler =>
  createWebhookHandler({
    secret: async () => (await env.CALL_TRANSFER_SIGNING_SECRETS.get()).trim().split(/\s+/),
    store: durableObjectEventStore(env.EVENTS),
    onEvent(event) {
      if (!isTransferOffer(event)) return undefined;
      console.log(`offer ${event.id}`);
      // Any 2xx takes the call. Another status leaves it to others.
      return new Response(null, { status: 204 });
    },
    onError: (error) => console.error(error),
  });

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    offers ??= createOffers(env);
    return offers(request);
  },
};
