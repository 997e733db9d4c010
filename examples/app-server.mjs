// A customer's app server: it receives offers of calls and decides which to take. Try it with the mock server:
//   npx @call-transfer/mock-server --write-env .env --forward-webhooks http://127.0.0.1:4011/offers
//   node --env-file=.env app-server.mjs
import { realpathSync } from "node:fs";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createWebhookHandler, isTransferOffer, toNodeHandler } from "@call-transfer/sdk/webhooks";

/**
 * Starts an app server. It calls `decide` for each offer with a valid signature: true takes the call, false leaves it to
 * others. The platform waits for the response while the app rings. The first destination to answer gets the call.
 */
export async function startAppServer({ secret, decide, port = 0 }) {
  const handle = createWebhookHandler({
    secret,
    async onEvent(event) {
      if (!isTransferOffer(event)) return undefined;
      return new Response(null, { status: (await decide(event)) ? 204 : 409 });
    },
    onError: (error) => console.error(`refused: ${error.message}`),
  });
  const server = createServer(toNodeHandler(handle));
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/offers`;
  return { url, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}

if (realpathSync(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  const { CALL_TRANSFER_SIGNING_SECRET: secret } = process.env;
  if (!secret) throw new Error("Set CALL_TRANSFER_SIGNING_SECRET.");
  const decide = async (offer) => {
    await setTimeout(Number(process.env.DECIDE_SECS ?? 0) * 1000);
    console.log(offer.transferId ? `taking transfer ${offer.transferId}` : "taking a trigger without a transfer");
    return true;
  };
  const { url } = await startAppServer({ secret, decide, port: Number(process.env.PORT ?? 4011) });
  console.log(`offers are taken at ${url}`);
}
