// What follows from a seed: the events and their copies, and what is done to the processes.
import { createRandom, type Random } from "../simulate/scheduler.ts";

/** One delivery of an event. It is attempted until it has a final answer. */
export interface CopyPlan {
  /** `together`: in the same moment as the first. `later`: some time after. `last`: after all others, once every process is new. */
  readonly when: "first" | "together" | "later" | "last";
  /** Milliseconds after the first. */
  readonly delayMs: number;
  /** Index of the receiver that gets the first attempt. */
  readonly receiver: number;
  /** Age of the signature in seconds, also within the tolerance of 300 s after retries. Copies of one age have the same bytes. */
  readonly ageSecs: number;
}

/** What the receiver reads in an event. */
export interface EventBody {
  readonly type: "transfer.offer";
  readonly id: string;
  readonly destinationId: string;
  /** How long the decision takes. */
  readonly decideMs: number;
  readonly decision: "accept" | "decline";
  /** Probability that a handling fails, from 0 to 1. */
  readonly failureRate: number;
  /** Length of the answer in characters, about. */
  readonly answerLength: number;
}

export interface EventPlan {
  readonly body: EventBody;
  readonly copies: readonly CopyPlan[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly deliveries: number;
  readonly receivers: number;
  readonly leaseMs: number;
  /** Probability that a decision takes long, from 0 to 1. */
  readonly slowRate: number;
}

function decideMsOf(random: Random, leaseMs: number, slowRate: number): number {
  // Longer than a lease, which must be extended meanwhile.
  if (random.chance(slowRate / 20)) return Math.round(leaseMs * random.between(1.5, 2.5));
  if (random.chance(slowRate)) return Math.round(leaseMs * random.between(0.1, 0.4));
  return random.below(12);
}

function copiesOf(random: Random, receivers: number): CopyPlan[] {
  const ageSecs = random.below(60);
  const copy = (when: CopyPlan["when"], delayMs: number, age: number): CopyPlan => ({
    when,
    delayMs,
    receiver: random.below(receivers),
    ageSecs: age,
  });
  const together = random.chance(0.4) ? [copy("together", 0, ageSecs)] : [];
  const more = random.chance(0.1) ? [copy("together", random.below(8), ageSecs)] : [];
  const later = random.chance(0.3) ? [copy("later", random.below(600), ageSecs + 60 + random.below(120))] : [];
  return [copy("first", 0, ageSecs), ...together, ...more, ...later, copy("last", 0, random.below(200))];
}

/** The events of a seed, with as many copies in total as there are deliveries. */
export function planEvents({ seed, deliveries, receivers, leaseMs, slowRate }: PlanOptions): EventPlan[] {
  const random = createRandom(seed, "events");
  const events: EventPlan[] = [];
  for (let left = deliveries; left > 0; ) {
    const body: EventBody = {
      type: "transfer.offer",
      id: `evt_${seed}_${events.length}`,
      destinationId: "dest_1",
      decideMs: decideMsOf(random, leaseMs, slowRate),
      decision: random.chance(0.2) ? "decline" : "accept",
      failureRate: random.chance(0.05) ? 0.5 : 0,
      answerLength: random.chance(0.02) ? 10_000 : 60,
    };
    const copies = copiesOf(random, receivers).slice(0, left);
    left -= copies.length;
    events.push({ body, copies });
  }
  return events;
}

/** One thing that is done to processes. */
export interface Act {
  /** Milliseconds after the end of the one before. */
  readonly afterMs: number;
  /** `restart-store` ends the store's server with SIGKILL and starts it again. */
  readonly kind: "kill" | "stop" | "restart-store";
  /** Indexes of the receivers. */
  readonly receivers: readonly number[];
  /** How long a process stays stopped. */
  readonly durationMs: number;
}

/** The acts of a seed, without an end. */
export function* planActs(options: {
  seed: number;
  receivers: number;
  leaseMs: number;
  /** Time between two acts on average, in milliseconds. */
  pauseMs: number;
  restartsStore: boolean;
}): Generator<Act> {
  const { seed, receivers, leaseMs, pauseMs, restartsStore } = options;
  const random = createRandom(seed, "acts");
  const all = Array.from({ length: receivers }, (_, index) => index);
  for (;;) {
    const isStore = restartsStore && random.chance(0.1);
    const kind = random.chance(0.5) ? "kill" : "stop";
    yield {
      afterMs: Math.round(random.between(0.2, 1.8) * pauseMs),
      kind: isStore ? "restart-store" : kind,
      receivers: random.chance(0.15) ? all : [random.below(receivers)],
      // Mostly longer than the lease. A stop shorter than the lease loses nothing.
      durationMs: Math.round(random.between(0.5, 2.5) * leaseMs),
    };
  }
}
