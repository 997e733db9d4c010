// How many webhooks a receiver verifies and deduplicates in a second, beside stripe. Requires a redis-server.
import { createWebhookHandler, verifyWebhook } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { createClient } from "redis";
import Stripe from "stripe";
import { startRedis } from "../../tests/receiving/servers.ts";
import { pairedRatio } from "./figures.ts";

const secret = "whsec_benchmark_of_receivers_0000000001";
const url = "https://receiver.example.net/offers";
const headerName = "service-signature";
const warmUp = 20;
const blockMs = 10;
const stripe = new Stripe("sk_test_benchmark");

/** The ways to receive. Each gets a signed message and rejects if it is refused. */
function waysOf(redis) {
  const handlerWith = (store) => {
    const handle = createWebhookHandler({ secret, store, onEvent() {} });
    return async ({ body, header }) => {
      const headers = { [headerName]: header, "content-type": "application/json" };
      const { status } = await handle(new Request(url, { method: "POST", body, headers }));
      if (status !== 204) throw new Error(`The receiver answered ${status}.`);
    };
  };
  return {
    stripe: async ({ body, header }) => stripe.webhooks.constructEvent(body, header, secret),
    stripeRequest: async ({ body, header }) => {
      const headers = { "stripe-signature": header, "content-type": "application/json" };
      const request = new Request(url, { method: "POST", body, headers });
      stripe.webhooks.constructEvent(await request.text(), request.headers.get("stripe-signature"), secret);
      return new Response(null, { status: 204 });
    },
    verify: ({ body, header }) => verifyWebhook({ body, headers: { [headerName]: header } }, { secret }),
    handler: handlerWith(undefined),
    redis: handlerWith(redis),
  };
}

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

/** Messages a second, with so many in flight. */
async function block(call, list, inFlight) {
  const queue = list.values();
  const from = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const one of queue) await call(one);
    }),
  );
  return (list.length / (performance.now() - from)) * 1000;
}

/** The rates of each way. They take turns in short blocks, so that other load on the machine reaches all of them alike. */
async function ratesOf(ways, rounds, inFlight) {
  const measured = Object.entries(ways).map(([name, call]) => ({ name, call, count: 64, rates: [] }));
  for (let round = -warmUp; round < rounds; round += 1)
    for (let turn = 0; turn < measured.length; turn += 1) {
      const way = measured[(round + warmUp + turn) % measured.length];
      const rate = await block(way.call, messages(way.count), inFlight);
      if (round >= 0) way.rates.push(rate);
      else way.count = Math.max(2 * inFlight, Math.ceil((rate * blockMs) / 1000));
    }
  return Object.fromEntries(measured.map(({ name, rates }) => [name, rates]));
}

export async function measure(isQuick) {
  await using server = await startRedis();
  const redis = await createClient({ url: server.url }).connect();
  const store = redisEventStore((script, key, args) => redis.eval(script, { keys: [key], arguments: args }));
  const figures = [];
  for (const inFlight of [1, 32]) {
    const rates = await ratesOf(waysOf(store), isQuick ? 10 : 120, inFlight);
    const beside = (what, way, peer, limit) => {
      const ratio = pairedRatio(rates[way], rates[peer]);
      const flight = inFlight === 1 ? "one by one" : `${inFlight} at once`;
      return { what: `${what}, ${flight}`, ...ratio, unit: "×", isMoreBetter: true, ...(limit && { limit }) };
    };
    figures.push(
      beside("`verifyWebhook`, a second, beside stripe's `constructEvent`", "verify", "stripe", 0.85),
      beside(
        ...["`createWebhookHandler`, a second, beside `constructEvent` with a `Request` and a `Response`"],
        ...["handler", "stripeRequest", 0.35],
      ),
      beside("`createWebhookHandler` with Redis, beside one in memory", "redis", "handler"),
    );
  }
  redis.destroy();
  return figures;
}
