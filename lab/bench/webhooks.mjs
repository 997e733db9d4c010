// How many webhooks a receiver verifies and deduplicates in a second, beside stripe.
import { createWebhookHandler, verifyWebhook } from "@call-transfer/sdk/webhooks";
import Stripe from "stripe";
import { pairedRatio } from "./figures.ts";

const secret = "whsec_benchmark_of_receivers_0000000001";
const url = "https://receiver.example.net/offers";
const headerName = "service-signature";
const warmUp = 20;
const blockMs = 10;
const stripe = new Stripe("sk_test_benchmark");

const handle = createWebhookHandler({ secret, onEvent() {} });
const requestOf = (body, name, header) =>
  new Request(url, { method: "POST", body, headers: { [name]: header, "content-type": "application/json" } });

/** The ways to receive. Each gets a signed message and rejects if it is refused. */
const ways = {
  stripe: async ({ body, header }) => stripe.webhooks.constructEvent(body, header, secret),
  stripeRequest: async ({ body, header }) => {
    const request = requestOf(body, "stripe-signature", header);
    stripe.webhooks.constructEvent(await request.text(), request.headers.get("stripe-signature"), secret);
    return new Response(null, { status: 204 });
  },
  verify: ({ body, header }) => verifyWebhook({ body, headers: { [headerName]: header } }, { secret }),
  handler: async ({ body, header }) => {
    const { status } = await handle(requestOf(body, headerName, header));
    if (status !== 204) throw new Error(`The receiver answered ${status}.`);
  },
};

let sent = 0;

/** New events of some 400 bytes. Both SDKs sign the time and the body in the same way. */
const messages = (count) =>
  Array.from({ length: count }, () => {
    sent += 1;
    const body = JSON.stringify({
      ...{ type: "transfer.offer", id: `evt_${sent}`, createdAt: new Date().toISOString(), caller: "+15550100099" },
      ...{ destinationId: "d0000000-0000-4000-8000-000000000001", note: "x".repeat(230) },
    });
    return { body, header: stripe.webhooks.generateTestHeaderString({ payload: body, secret }) };
  });

/** Messages a second, one after the other. */
async function block(call, list) {
  const from = performance.now();
  for (const one of list) await call(one);
  return (list.length / (performance.now() - from)) * 1000;
}

/** The rates of each way. They take turns in short blocks, so that other load on the machine reaches all of them alike. */
async function measureRates(rounds) {
  const measured = Object.entries(ways).map(([name, call]) => ({ name, call, count: 64, rates: [] }));
  for (let round = -warmUp; round < rounds; round += 1)
    for (let turn = 0; turn < measured.length; turn += 1) {
      const way = measured[(round + warmUp + turn) % measured.length];
      const rate = await block(way.call, messages(way.count));
      if (round >= 0) way.rates.push(rate);
      else way.count = Math.ceil((rate * blockMs) / 1000);
    }
  return Object.fromEntries(measured.map(({ name, rates }) => [name, rates]));
}

export async function measure(isQuick) {
  const rates = await measureRates(isQuick ? 10 : 120);
  const beside = (what, way, peer, limit) => ({
    ...{ what, ...pairedRatio(rates[way], rates[peer]), unit: "×", isMoreBetter: true, limit },
  });
  return [
    beside("`verifyWebhook`, a second, beside stripe's `constructEvent`", "verify", "stripe", 0.85),
    beside(
      ...["`createWebhookHandler`, a second, beside `constructEvent` with a `Request` and a `Response`"],
      ...["handler", "stripeRequest", 0.35],
    ),
  ];
}
