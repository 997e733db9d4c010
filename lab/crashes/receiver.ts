// A receiver process. It decides events as they say, and writes down what it does.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createWebhookHandler,
  toNodeHandler,
  type WebhookEvent,
  type WebhookHandler,
} from "@call-transfer/sdk/webhooks";
import { createRandom } from "../simulate/scheduler.ts";
import { createInboxReceiver, insertEffect } from "./effects.ts";
import { openEntries } from "./entries.ts";
import type { EventBody } from "./plan.ts";
import { effectOutside } from "./plants.ts";
import { eventHeader, handledHeader, type ProcessOptions, secret } from "./process-options.ts";
import { context, recordStore } from "./recorded-store.ts";
import { isInbox, openStore } from "./stores.ts";

const options = JSON.parse(process.argv[2] ?? "") as ProcessOptions;
const { name, port, store, storeUrl, plant, leaseMs, waitMs, storeTimeoutMs, onStoreError } = options;
const write = openEntries(options.entries);
const random = createRandom(options.seed, name);
let handlings = 0;

/** `query` runs a statement where the effects of a handling belong. Redis has none. */
async function onEvent(
  event: WebhookEvent,
  query: ((text: string, values: string[]) => Promise<unknown>) | undefined,
): Promise<Response> {
  const { id, decideMs, decision, failureRate, answerLength } = event as unknown as EventBody;
  handlings += 1;
  const handling = `${name}#${handlings}`;
  const current = context.getStore();
  if (current) current.handled = true;
  const note = (action: "start" | "end", result?: string) =>
    write({ action, event: id, owner: current?.owner, handling, fromMs: Date.now(), atMs: Date.now(), result });
  note("start");
  await query?.(insertEffect, [id, handling]);
  await sleep(decideMs);
  const fails = random.chance(failureRate);
  note("end", fails ? "failed" : "answered");
  if (fails && random.chance(0.5)) throw new Error("The handling fails.");
  if (fails) return new Response("The handling fails.", { status: random.pick([500, 502, 503]) });
  // The handling makes the answer another one each time.
  const body = JSON.stringify({ event: id, handling, reason: "x".repeat(answerLength) });
  const [status, type] = decision === "accept" ? [200, "application/json"] : [409, "application/problem+json"];
  return new Response(body, { status, headers: { "content-type": type } });
}

// The entries say what happened.
const common = { secret, duplicateWaitMs: waitMs, onError() {} };

async function createHandler(): Promise<WebhookHandler> {
  if (isInbox(store)) return createInboxReceiver(store, storeUrl, common, plant === effectOutside, onEvent);
  const recorded = recordStore(await openStore(store, storeUrl, plant), write, storeTimeoutMs);
  return createWebhookHandler({
    ...{ ...common, store: recorded, leaseDurationMs: leaseMs, storeTimeoutMs, onStoreError },
    onEvent: (event) => onEvent(event, undefined),
  });
}

const handle = await createHandler();

const server = createServer((request, response) => {
  const event = String(request.headers[eventHeader]);
  const current = { event, owner: undefined, handled: false, storeFailed: false };
  context.run(current, async () => {
    const node = toNodeHandler(async (webRequest) => {
      const answer = await handle(webRequest);
      const { status } = answer;
      const { owner, storeFailed } = current;
      const result =
        status === 503 && !current.handled ? `503, ${storeFailed ? "store failed" : "still busy"}` : `${status}`;
      write({ action: "respond", event, owner, fromMs: Date.now(), atMs: Date.now(), result });
      if (current.handled) response.setHeader(handledHeader, "yes");
      return answer;
    });
    await node(request, response);
  });
});
server.listen(port, "127.0.0.1", () => process.send?.("ready"));

// A process that did not run cannot extend its leases, whatever the cause.
const tickMs = 25;
let lastTick = Date.now();
setInterval(() => {
  const [fromMs, atMs] = [lastTick, Date.now()];
  if (atMs - fromMs >= 3 * tickMs) write({ action: "stall", event: "", fromMs, atMs });
  lastTick = atMs;
}, tickMs);

// The program that started it is gone.
process.on("disconnect", () => process.exit());
