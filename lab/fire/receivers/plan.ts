// What follows from a seed: the events and their copies, and what is done to the processes.
import { createRandom, type Random } from "../../simulate/scheduler.ts";

/** One delivery of an event. It is attempted until it has a final answer. */
export interface CopyPlan {
  /** `last`: after all others, once every process is new. */
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
  /** Copies of events in total. */
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
    ...{ when, delayMs, receiver: random.below(receivers), ageSecs: age },
  });
  const together = random.chance(0.4) ? [copy("together", 0, ageSecs)] : [];
  const more = random.chance(0.1) ? [copy("together", random.below(8), ageSecs)] : [];
  const later = random.chance(0.3) ? [copy("later", random.below(600), ageSecs + 60 + random.below(120))] : [];
  return [copy("first", 0, ageSecs), ...together, ...more, ...later, copy("last", 0, random.below(200))];
}

const eventOf = (seed: number, index: number) =>
  ({ type: "transfer.offer", id: `evt_${seed}_${index}`, destinationId: "dest_1" }) as const;

/** The events of a seed for processes that are killed and stopped. */
export function planEvents({ seed, deliveries, receivers, leaseMs, slowRate }: PlanOptions): EventPlan[] {
  const random = createRandom(seed, "events");
  const events: EventPlan[] = [];
  for (let left = deliveries; left > 0; ) {
    const body: EventBody = {
      ...eventOf(seed, events.length),
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

/** The events of a seed for a store that is disturbed: copies come twice in the same moment, and once more while it is away. */
export function planOutage(seed: number, count: number, receivers: number, isBurst: boolean): EventPlan[] {
  const random = createRandom(seed, "outage");
  return Array.from({ length: count }, (_, index) => {
    const copy = (when: CopyPlan["when"], delayMs: number): CopyPlan => ({
      ...{ when, delayMs, receiver: random.below(receivers), ageSecs: 0 },
    });
    const later = isBurst ? [] : [copy("later", random.below(1500))];
    return {
      body: {
        ...eventOf(seed, index),
        // Long enough for the store to go away between a claim and an answer.
        decideMs: isBurst ? 0 : random.below(200),
        ...{ decision: "accept", failureRate: 0, answerLength: 60 },
      },
      copies: [copy("first", 0), copy("together", 0), ...later],
    };
  });
}

/** One thing that is done to processes. */
export interface Act {
  /** Milliseconds after the end of the one before. */
  readonly afterMs: number;
  readonly kind: "kill" | "stop";
  /** Indexes of the receivers. */
  readonly receivers: readonly number[];
  /** How long a process stays stopped. */
  readonly durationMs: number;
}

/** The acts of a seed, without an end. `pauseMs` is the time between two on average. */
export function* planActs(options: {
  readonly seed: number;
  readonly receivers: number;
  readonly leaseMs: number;
  readonly pauseMs: number;
}): Generator<Act> {
  const { seed, receivers, leaseMs, pauseMs } = options;
  const random = createRandom(seed, "acts");
  const all = Array.from({ length: receivers }, (_, index) => index);
  for (;;)
    yield {
      afterMs: Math.round(random.between(0.2, 1.8) * pauseMs),
      kind: random.chance(0.5) ? "kill" : "stop",
      receivers: random.chance(0.15) ? all : [random.below(receivers)],
      // Mostly longer than the lease. A stop shorter than the lease loses nothing.
      durationMs: Math.round(random.between(0.5, 2.5) * leaseMs),
    };
}
