// A receiver process. It decides events as they say, and writes down what it does.
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createWebhookHandler,
  type EventStore,
  toNodeHandler,
  type WebhookEvent,
  type WebhookHandler,
} from "@call-transfer/sdk/webhooks";
import { postgresInbox } from "@call-transfer/sdk/webhooks/postgres";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import type { PoolClient } from "pg";
import { createRandom } from "../../simulate/scheduler.ts";
import { type Entry, eventHeader, openEntries, type ProcessOptions, secret } from "./history.ts";
import type { EventBody } from "./plan.ts";

/** Runs one statement in the transaction of a handling. */
type Query = (text: string, values: string[]) => Promise<unknown>;

/** The request that the process is answering. */
interface RequestContext {
  readonly event: string;
  /** The owner of its last step in the store. */
  owner: string | undefined;
}

const options = JSON.parse(process.argv[2] ?? "") as ProcessOptions;
const { name, port, store, storeUrl, plant, leaseMs, waitMs, storeTimeoutMs, onStoreError } = options;
const write = openEntries(options.entries);
const random = createRandom(options.seed, name);
const context = new AsyncLocalStorage<RequestContext>();
let handlings = 0;

const note = (action: Entry["action"], event: string, more: Partial<Entry> = {}): void =>
  write({ action, event, owner: context.getStore()?.owner, fromMs: Date.now(), atMs: Date.now(), ...more });

/** `query` runs a statement where the effects of a handling belong. Redis has none. */
async function onEvent(event: WebhookEvent, query?: Query): Promise<Response> {
  const { id, decideMs, decision, failureRate, answerLength } = event as unknown as EventBody;
  handlings += 1;
  const handling = `${name}#${handlings}`;
  note("start", id, { handling });
  await query?.("insert into effects (event, handling) values ($1, $2)", [id, handling]);
  await sleep(decideMs);
  const fails = random.chance(failureRate);
  note("end", id, { handling, result: fails ? "failed" : "answered" });
  if (fails && random.chance(0.5)) throw new Error("The handling fails.");
  if (fails) return new Response("The handling fails.", { status: random.pick([500, 502, 503]) });
  // The handling makes the answer another one each time.
  const body = JSON.stringify({ event: id, handling, reason: "x".repeat(answerLength) });
  const [status, type] = decision === "accept" ? [200, "application/json"] : [409, "application/problem+json"];
  return new Response(body, { status, headers: { "content-type": type } });
}

/** A store that writes down each step. */
function recorded(store: EventStore): EventStore {
  const record = async <Result>(
    action: "claim" | "complete" | "release",
    key: string,
    owner: string,
    step: () => Promise<Result>,
    resultOf: (result: Result) => string,
  ): Promise<Result> => {
    const event = key.slice(key.lastIndexOf(":") + 1);
    const current = context.getStore();
    if (current?.event === event) current.owner = owner;
    const fromMs = Date.now();
    const end = (result: string): void => write({ action, event, owner, fromMs, atMs: Date.now(), result });
    try {
      const result = await step();
      end(resultOf(result));
      return result;
    } catch (error) {
      end("error");
      throw error;
    }
  };
  return {
    claim: (key, owner, ms) =>
      record(
        "claim",
        key,
        owner,
        () => store.claim(key, owner, ms),
        ({ state }) => state,
      ),
    complete: (key, owner, response) => {
      const step = () => store.complete(key, owner, response);
      return record("complete", key, owner, step, (isStored) => (isStored ? "stored" : "refused"));
    },
    release: (key, owner) =>
      record(
        "release",
        key,
        owner,
        () => store.release(key, owner),
        () => "released",
      ),
  };
}

/** Wrong behaviours between the receiver and the store. A run must find each. */
const plants: Readonly<Record<string, (store: EventStore) => EventStore>> = {
  /** After it has lost the lease, the receiver answers what it decided itself. */
  "own-answer": (store) => ({
    ...store,
    complete: async (...completed) => (await store.complete(...completed)) || true,
  }),
  /** A lease is never extended. */
  "no-renewal"(store) {
    const owners = new Set<string>();
    return {
      ...store,
      async claim(key, owner, leaseMs) {
        if (owners.has(owner)) return { state: "claimed" };
        const claim = await store.claim(key, owner, leaseMs);
        if (claim.state === "claimed") owners.add(owner);
        return claim;
      },
    };
  },
  /** The store forgets one response in three. */
  "short-memory"(store) {
    let completed = 0;
    return {
      ...store,
      async claim(key, owner, leaseMs) {
        const claim = await store.claim(key, owner, leaseMs);
        if (claim.state !== "completed") return claim;
        completed += 1;
        return completed % 3 === 0 ? { state: "claimed" } : claim;
      },
    };
  },
};
/** The app writes its row over another connection than that of the inbox. */
const effectOutside = plant === "effect-outside-transaction";
/** The receiver knows nothing but what the store says. */
const forgets = plant === "forgets";

/** The clients try to connect again by themselves. What fails meanwhile rejects. */
const ignore = (): void => {};

/** Opens a store with the client's settings of docs/webhook-stores.md. A process loads only the client that it uses. */
async function openStore(): Promise<EventStore> {
  const { createClient } = await import("redis");
  const client = createClient({ url: storeUrl, disableOfflineQueue: true });
  client.on("error", ignore);
  await client.connect();
  return redisEventStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }));
}

const common = {
  ...{ secret, duplicateWaitMs: waitMs },
  onError(...[error, code]: readonly unknown[]) {
    note("error", context.getStore()?.event ?? "", { result: typeof code === "string" ? code : String(error) });
  },
};

async function createInboxHandler(): Promise<WebhookHandler> {
  const { Pool } = await import("pg");
  const pool = new Pool({ connectionString: storeUrl, max: 10 });
  pool.on("error", ignore);
  pool.on("connect", (client) => void client.on("error", ignore));
  const inbox = postgresInbox<PoolClient>({
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        await work(client);
        const { command } = await client.query("commit");
        if (command === "ROLLBACK") throw Object.assign(new Error("a query failed"), { code: "25P02" });
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
    query: async (client, text, values) => (await client.query(text, values)).rows,
  });
  return createWebhookHandler({
    ...{ ...common, inbox },
    onEvent: (event, client) => onEvent(event, (text, values) => (effectOutside ? pool : client).query(text, values)),
  });
}

async function createHandler(): Promise<WebhookHandler> {
  if (store === "inbox") return createInboxHandler();
  const opened = await openStore();
  const broken = plants[plant ?? ""]?.(opened) ?? opened;
  const create = () =>
    createWebhookHandler({
      ...{ ...common, store: recorded(broken), leaseDurationMs: leaseMs, storeTimeoutMs, onStoreError },
      onEvent: (event) => onEvent(event),
    });
  return forgets ? (request) => create()(request) : create();
}

const handle = await createHandler();

const answer = toNodeHandler(handle);
const server = createServer((request, response) => {
  const event = String(request.headers[eventHeader]);
  context.run({ event, owner: undefined }, () => answer(request, response));
});
server.listen(port, "127.0.0.1", () => console.log("ready"));

// A process that did not run cannot extend its leases, whatever the cause.
const tickMs = 25;
let lastTick = Date.now();
setInterval(() => {
  const [fromMs, atMs] = [lastTick, Date.now()];
  if (atMs - fromMs >= 3 * tickMs) write({ action: "stall", event: "", fromMs, atMs });
  lastTick = atMs;
}, tickMs);
