// Receives offers for two destinations, each with a URL and a secret of its
// own. In a clone:
//   npm run example -- examples/two-destinations.ts
import {
  createWebhookHandler,
  isTransferOffer,
  signWebhook,
} from "@call-transfer/sdk/webhooks";

// Yours are in your configuration. During a rotation, a list has two secrets.
const frontDesk = { id: "front-desk", secret: ["secret-of-the-front-desk"] };
const sales = { id: "sales", secret: ["secret-of-sales"] };

/** Receives the offers of one destination. */
const receiverOf = ({ id, secret }: { id: string; secret: string[] }) =>
  createWebhookHandler({
    secret,
    onEvent(event) {
      if (!isTransferOffer(event)) return;
      // A secret signs for its own destination only.
      if (event.destinationId !== id)
        return new Response("Another destination.\n", { status: 403 });
      console.log(`a call is offered to ${id}`);
    },
  });

const receivers = new Map([
  ["/offers/front-desk", receiverOf(frontDesk)],
  ["/offers/sales", receiverOf(sales)],
]);

/** The server: a function from Request to Response. */
async function receive(request: Request): Promise<Response> {
  const receiver = receivers.get(new URL(request.url).pathname);
  return receiver ? receiver(request) : new Response(null, { status: 404 });
}

// What the platform sends, and what it must not.
async function offer(path: string, destinationId: string, secret: string[]) {
  const id = crypto.randomUUID();
  const body = JSON.stringify({ type: "transfer.offer", id, destinationId });
  const headers = { "Service-Signature": await signWebhook(body, { secret }) };
  const url = `http://localhost${path}`;
  const request = new Request(url, { method: "POST", body, headers });
  const { status } = await receive(request);
  console.log(`${path}, for ${destinationId}: answered ${status}`);
}

await offer("/offers/front-desk", "front-desk", frontDesk.secret);
await offer("/offers/sales", "sales", sales.secret);
// The front desk's secret signs an offer that names sales.
await offer("/offers/front-desk", "sales", frontDesk.secret);
await offer("/offers/sales", "sales", frontDesk.secret);
