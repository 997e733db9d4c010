// Measures how many webhooks a receiver verifies and deduplicates in a second, beside stripe, in one run. Writes
// results-webhooks.md and fails when a figure misses its target. Requires built packages and a redis-server.
//
//   npm run lab -- bench webhooks --quick   a look in a few seconds, which writes nothing
//   --only TEXT                           only the ways to receive whose names contain it; writes nothing
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createWebhookHandler, verifyWebhook } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { Redis } from "ioredis";
import { createClient } from "redis";
import Stripe from "stripe";
import { startRedis } from "../../tests/receiving/servers.ts";
import { circumstances } from "./circumstances.mjs";
import { versionOf } from "./sdk/clients.mjs";
import { medianOf, pairedRatio } from "./sdk/speed.mjs";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const results = fileURLToPath(new URL("results-webhooks.md", import.meta.url));
const secret = "whsec_benchmark_of_receivers_0000000001";
const url = "https://receiver.example.net/offers";
const headerName = "service-signature";
const sizes = [400, 10_000];
const [rounds, warmUp, blockMs] = values.quick ? [20, 10, 5] : [200, 30, 10];

/** A body of an offer with about as many bytes as asked for. */
function bodyOf(number, bytes) {
  const event = {
    type: "transfer.offer",
    id: `evt_${number}`,
    createdAt: new Date().toISOString(),
    destinationId: "d0000000-0000-4000-8000-000000000001",
    callId: "c0000000-0000-4000-8000-000000000001",
    caller: "+15550100099",
  };
  const filler = bytes - JSON.stringify({ ...event, note: "" }).length;
  return JSON.stringify({ ...event, note: "x".repeat(Math.max(0, filler)) });
}

const stripe = new Stripe("sk_test_benchmark");
const webCrypto = Stripe.createSubtleCryptoProvider();

/** The ways to receive. Each gets a signed message and rejects if it is refused. */
function waysOf(stores) {
  const handlerWith = (store, expected) => {
    const handle = createWebhookHandler({ secret, store, onEvent() {} });
    return async ({ body, header }) => {
      const headers = { [headerName]: header, "content-type": "application/json" };
      const { status } = await handle(new Request(url, { method: "POST", body, headers }));
      if (status !== expected) throw new Error(`The receiver answered ${status}.`);
    };
  };
  const ours = ({ body, header }) => verifyWebhook({ body, headers: { [headerName]: header } }, { secret });
  return [
    {
      name: "stripe constructEvent",
      call: async (one) => stripe.webhooks.constructEvent(one.body, one.header, secret),
    },
    {
      name: "stripe constructEventAsync",
      call: (one) => stripe.webhooks.constructEventAsync(one.body, one.header, secret),
    },
    {
      name: "stripe constructEventAsync, Web Crypto",
      call: ({ body, header }) => stripe.webhooks.constructEventAsync(body, header, secret, undefined, webCrypto),
    },
    {
      name: "stripe constructEvent, Request to Response",
      call: async ({ body, header }) => {
        const headers = { "stripe-signature": header, "content-type": "application/json" };
        const request = new Request(url, { method: "POST", body, headers });
        stripe.webhooks.constructEvent(await request.text(), request.headers.get("stripe-signature"), secret);
        return new Response(null, { status: 204 });
      },
    },
    { name: "verifyWebhook", call: ours },
    { name: "createWebhookHandler, memory", call: handlerWith(undefined, 204) },
    { name: "createWebhookHandler, redis", call: handlerWith(stores.redis, 204) },
    { name: "createWebhookHandler, ioredis", call: handlerWith(stores.ioredis, 204) },
  ].filter(({ name }) => name.includes(values.only));
}

let sent = 0;

/** New events, signed for both SDKs. */
function messages(count, bytes) {
  return Array.from({ length: count }, () => {
    sent += 1;
    const body = bodyOf(sent, bytes);
    // Both sign the time and the body in the same way.
    const header = stripe.webhooks.generateTestHeaderString({ payload: body, secret });
    return { body, header };
  });
}

/** Receives messages with so many in flight. Returns messages per second. */
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

/** The ways take turns in short blocks, so that other load on the machine reaches all of them alike. */
async function measure(ways, bytes, inFlight) {
  const measured = ways.map((way) => ({ ...way, count: 64, rates: [] }));
  for (let round = -warmUp; round < rounds; round += 1)
    for (let turn = 0; turn < measured.length; turn += 1) {
      const way = measured[(round + warmUp + turn) % measured.length];
      const rate = await block(way.call, messages(way.count, bytes), inFlight);
      if (round >= 0) way.rates.push(rate);
      else way.count = Math.max(2 * inFlight, Math.ceil((rate * blockMs) / 1000));
    }
  return measured.map(({ name, rates }) => ({ name, rates, rate: medianOf(rates).value }));
}

const number = (value) => Math.round(value).toLocaleString("en-US");

/** The least that one way may answer, beside another that does as much of the work. */
const wanted = [
  { name: "verifyWebhook", peer: "stripe constructEvent", least: 0.85 },
  { name: "createWebhookHandler, memory", peer: "stripe constructEvent, Request to Response", least: 0.35 },
];
const rowOf = ({ rows }, name) => rows.find((row) => row.name === name);
/** Beside another in the same round, the median with its interval. Other load slows both alike. */
const ratioOf = (run, { name, peer }) => pairedRatio(rowOf(run, name).rates, rowOf(run, peer).rates);
const isMet = (runs, figure) => runs.every((run) => ratioOf(run, figure).value >= figure.least);

function figureLine(runs, figure) {
  const cells = runs.map((run) => {
    const { value, low, high } = ratioOf(run, figure);
    return `${value.toFixed(2)}× (${low.toFixed(2)} to ${high.toFixed(2)})`;
  });
  const result = isMet(runs, figure) ? "met" : "missed";
  return `| ${[`${figure.name}, beside ${figure.peer}`, ...cells, `≥ ${figure.least}×`, result].join(" | ")} |`;
}

function page(runs) {
  const names = runs[0].rows.map(({ name }) => name);
  const head = runs.map(({ bytes, inFlight }) => `${number(bytes)} bytes, ${inFlight} in flight`);
  const cell = (run, name) =>
    `${number(rowOf(run, name).rate)} (${ratioOf(run, { name, peer: names[0] }).value.toFixed(2)}×)`;
  const lines = names.map((name) => `| ${name} | ${runs.map((run) => cell(run, name)).join(" | ")} |`);
  return `# Webhooks a second

Written by \`npm run lab -- bench webhooks\`. One run ${circumstances()}, with Node ${process.versions.node}, one process, and a
redis-server on the same machine: stripe ${versionOf("stripe")}, redis ${versionOf("redis")}, ioredis ${versionOf("ioredis")}.
Higher is better. In brackets: beside stripe's \`constructEvent\` of the same column, round by round.

| | ${head.join(" | ")} |
|---|${head.map(() => "---|").join("")}
${lines.join("\n")}

| Figure | ${head.join(" | ")} | Wanted | |
|---|${head.map(() => "---|").join("")}---|---|
${wanted.map((figure) => figureLine(runs, figure)).join("\n")}

- Every message is a new event. The ways to receive take turns in ${rounds} rounds of short blocks. A rate is the median of
  the blocks. A ratio is the median of the ratios of each round, and not the quotient of two medians; its interval of 95 % is that
  within this run.
- **Request to Response** is what an app writes around \`constructEvent\`: it reads the body of a \`Request\` and answers with a
  \`Response\`.
- **stripe** and **verifyWebhook** only check the signature and its age and parse the body. \`constructEvent\` uses
  \`node:crypto\` and is synchronous, so it exists on Node only; \`constructEventAsync\` uses it on Node too.
  \`verifyWebhook\` asks the runtime for \`node:crypto\` and takes Web Crypto where it is missing, as stripe does in its third
  row. That computes each signature in another thread, which costs more than the signature of a small body.
- **createWebhookHandler** also makes a \`Request\` and a \`Response\`, reads the body, claims the event and stores its
  answer. stripe does not deduplicate. With Redis that is one step before and one after the handling.
`;
}

await using server = await startRedis();
const redis = await createClient({ url: server.url }).connect();
const ioredis = new Redis(server.url);
const ways = waysOf({
  redis: redisEventStore((script, key, args) => redis.eval(script, { keys: [key], arguments: args })),
  ioredis: redisEventStore((script, key, args) => ioredis.eval(script, 1, key, ...args)),
});
const runs = [];
for (const bytes of sizes)
  for (const inFlight of [1, 32]) {
    const rows = await measure(ways, bytes, inFlight);
    runs.push({ bytes, inFlight, rows });
    console.log(`\n${number(bytes)} bytes, ${inFlight} in flight`);
    for (const { name, rate, rates } of rows) {
      const beside = pairedRatio(rates, rows[0].rates).value;
      console.log(`  ${name.padEnd(44)} ${number(rate).padStart(8)}/s ${beside.toFixed(2)}× ${rows[0].name}`);
    }
  }
if (!values.quick && values.only === "") {
  writeFileSync(results, page(runs));
  console.log(page(runs));
  if (!wanted.every((figure) => isMet(runs, figure))) process.exitCode = 1;
}
redis.destroy();
ioredis.disconnect();
