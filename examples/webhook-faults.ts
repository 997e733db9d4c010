// An app's offers are duplicated, retried and forged. It decides on each
// genuine offer once. In a clone:
//   npm run example -- examples/webhook-faults.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import {
  createWebhookHandler,
  isTransferOffer,
} from "@call-transfer/sdk/webhooks";

const receive = createWebhookHandler({
  secret: demo.signingSecret,
  clock: { now: () => backend.clock.now() },
  onEvent(event) {
    if (isTransferOffer(event)) console.log(`deciding on offer ${event.id}`);
  },
});
const backend = createBackend({
  fetch: (url, init) => receive(new Request(url, init)),
  faults: [
    { webhooks: {}, do: { duplicate: { copies: 2 } } },
    {
      webhooks: {},
      do: { retry: { times: 1, afterSecs: 30, ignoreSuccess: true } },
    },
    { webhooks: {}, do: { sign: "wrong_secret" } },
  ],
});

// Each fault applies once, so each offer gets another one.
for (let index = 0; index < 3; index += 1)
  await backend.deliveries.trigger({ destinationId: demo.destinations.app });
await backend.advance({ by: 60_000 });
for (const { at, status, faultAction } of backend.deliveries.list())
  console.log(at, status, JSON.stringify(faultAction));
