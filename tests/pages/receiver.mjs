// A receiver of offers for the commands in pages. It counts what it handled, and shows the counts at /handled.
// Its port is the variable PORT, its secret CALL_TRANSFER_SIGNING_SECRET.
import { createServer } from "node:http";
import { createWebhookHandler, toNodeHandler } from "@call-transfer/sdk/webhooks";

const handled = {};
const receive = toNodeHandler(
  createWebhookHandler({
    secret: process.env.CALL_TRANSFER_SIGNING_SECRET,
    onEvent({ id }) {
      handled[id] = (handled[id] ?? 0) + 1;
    },
    onError: () => {},
  }),
);
const port = Number(process.env.PORT);
createServer((request, response) =>
  request.url === "/handled" ? response.end(JSON.stringify(handled)) : receive(request, response),
).listen(port, "127.0.0.1", () => console.log(`offers are taken at http://127.0.0.1:${port}/offers`));
