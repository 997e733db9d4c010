// One run: receivers in this process behind one store, whose server stays well, ends, hangs, forgets, is full or is replaced.
import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookHandler, type EventStore, signWebhook, type WebhookHandler } from "@call-transfer/sdk/webhooks";
import { createRandom } from "../simulate/scheduler.ts";
import { actsOf, type OutageAct } from "./outage-acts.ts";
import { startServer } from "./store-server.ts";
import { type EventStoreName, openAsOnThePage } from "./stores.ts";

export interface OutageOptions {
  readonly store: EventStoreName;
  readonly act: OutageAct;
  /** How often the act is done while events are delivered. */
  readonly times: number;
  readonly seed: number;
  readonly events: number;
  /** How many events are delivered at once. */
  readonly atOnce: number;
  /** How many receivers there are, each with a client and a memory of its own. */
  readonly receivers: number;
  readonly onStoreError: "handle" | "reject";
  readonly leaseMs: number;
  /** `storeTimeoutMs` of the receivers, and the limits of the client. */
  readonly storeTimeoutMs: number;
  /** How long the server hangs, or is full. */
  readonly hangMs: number;
  /** A planted mistake: a new handler for each delivery, which knows nothing without the store. */
  readonly forgets?: boolean;
}

export interface OutageResult {
  readonly events: number;
  readonly deliveries: number;
  /** Calls of `onEvent`. */
  readonly handlings: number;
  readonly handledAgain: number;
  readonly twoAnswers: number;
  /** Events to whose copies one receiver gave two answers. */
  readonly contradicted: number;
  /** The most steps that the store had at once. */
  readonly stepsAtOnce: number;
  readonly unanswered: number;
  /** How often the answer was 503. */
  readonly refusals: number;
  /** What `onError` received, by its code. */
  readonly errors: ReadonlyMap<string, number>;
  readonly acts: number;
  readonly seconds: number;
}

const secret = "whsec_outage-run";
const usualWaitMs = 8000;
/** After this time without a final answer, a delivery is lost. */
const giveUpMs = 60_000;
/** The copies of an event: two in the same moment, and one that comes later. */
const laterMs = 1500;
/** Long enough for the server to end between a claim and an answer. */
const longestDecisionMs = 200;

/** What was seen of an event. */
interface Seen {
  handlings: number;
  readonly answers: Set<string>;
  /** By receiver. */
  readonly own: Map<number, Set<string>>;
}

/** Counts how many steps a store has at once. */
function counted(store: EventStore, note: (steps: number) => void): EventStore {
  let running = 0;
  const through = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    running += 1;
    note(running);
    try {
      return await step();
    } finally {
      running -= 1;
    }
  };
  return {
    ...store,
    claim: (...given) => through(() => store.claim(...given)),
    complete: (...given) => through(() => store.complete(...given)),
    release: (...given) => through(() => store.release(...given)),
  };
}

/** Delivers events while the act is done to the store's server. */
export async function runOutage(options: OutageOptions): Promise<OutageResult> {
  const { store, seed, receivers, onStoreError, leaseMs, storeTimeoutMs } = options;
  const random = createRandom(seed, "outage");
  await using server = await startServer(store, options.act === "promote");
  const seen = new Map<string, Seen>();
  const errors = new Map<string, number>();
  const closings: (() => unknown)[] = [];
  let stepsAtOnce = 0;
  const open = async (number: number): Promise<WebhookHandler> => {
    const opened = await openAsOnThePage(store, server.url);
    closings.push(opened.close);
    const counting = counted(opened.store, (steps) => {
      stepsAtOnce = Math.max(stepsAtOnce, steps);
    });
    const create = () =>
      createWebhookHandler({
        ...{
          secret,
          store: counting,
          onStoreError,
          leaseDurationMs: leaseMs,
          storeTimeoutMs,
          duplicateWaitMs: Math.max(storeTimeoutMs, usualWaitMs),
        },
        async onEvent({ id }) {
          const event = seen.get(String(id));
          if (event) event.handlings += 1;
          const decideMs = options.act === "none" ? 0 : random.below(longestDecisionMs);
          if (decideMs > 0) await sleep(decideMs);
          return Response.json({ event: id, receiver: number, handling: event?.handlings });
        },
        onError(...[error, code]: readonly unknown[]) {
          const name =
            typeof code === "string"
              ? code
              : String(error)
                  .slice(0, 60)
                  .replaceAll(/[\d-]{6,}/g, "…");
          errors.set(name, (errors.get(name) ?? 0) + 1);
        },
      });
    return options.forgets ? (request) => create()(request) : create();
  };
  const fleet = await Promise.all(Array.from({ length: receivers }, (_, at) => open(at)));
  let [refusals, unanswered, deliveries] = [0, 0, 0];

  const deliver = async (id: string, delayMs: number): Promise<void> => {
    if (delayMs > 0) await sleep(delayMs);
    const body = JSON.stringify({ type: "transfer.offer", id, destinationId: "d" });
    const headers = { "Service-Signature": await signWebhook(body, { secret }) };
    deliveries += 1;
    for (const until = Date.now() + giveUpMs; Date.now() < until; await sleep(random.between(50, 150))) {
      const at = random.below(fleet.length);
      const response = await fleet[at]?.(new Request("http://localhost/", { method: "POST", headers, body }));
      if (response === undefined || response.status >= 500) {
        refusals += 1;
        continue;
      }
      const answer = await response.text();
      const event = seen.get(id);
      event?.answers.add(answer);
      event?.own.set(at, (event.own.get(at) ?? new Set()).add(answer));
      return;
    }
    unanswered += 1;
  };

  const ids = Array.from({ length: options.events }, (_, at) => `evt_${seed}_${at}`);
  for (const id of ids) seen.set(id, { handlings: 0, answers: new Set(), own: new Map() });
  const left = ids.values();
  let delivered = 0;
  const lane = async (): Promise<void> => {
    for (const id of left) {
      const copies = [0, 0, ...(options.act === "none" ? [] : [random.below(laterMs)])];
      await Promise.all(copies.map((delayMs) => deliver(id, delayMs)));
      delivered += 1;
    }
  };
  const from = performance.now();
  const work = Promise.all(Array.from({ length: options.atOnce }, lane));
  const acts = await actsOf(options, server, work, () => delivered / ids.length);
  await work;
  const seconds = (performance.now() - from) / 1000;
  for (const close of closings) await close();
  const events = [...seen.values()];
  const count = (is: (event: Seen) => boolean) => events.filter(is).length;
  return {
    ...{ events: events.length, deliveries, refusals, unanswered, errors, acts, seconds, stepsAtOnce },
    handlings: events.reduce((sum, { handlings }) => sum + handlings, 0),
    handledAgain: count(({ handlings }) => handlings > 1),
    twoAnswers: count(({ answers }) => answers.size > 1),
    contradicted: count(({ own }) => [...own.values()].some((answers) => answers.size > 1)),
  };
}
