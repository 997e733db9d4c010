// The options of a receiver, the behaviour of its store, its app and its senders, and the records of what happened.
import type { Process } from "./processes.ts";
import type { Random } from "./scheduler.ts";
import type { Stepping, StorePlan } from "./stores.ts";

/** The options of a receiver, its store, and what happens to its processes. */
export interface ReceivingPlan {
  readonly store: StorePlan;
  readonly options: {
    readonly onStoreError: "handle" | "reject";
    readonly leaseDurationMs: number;
    readonly duplicateWaitMs: number;
    readonly storeTimeoutMs: number;
  };
  readonly trouble: Trouble;
}

/** What happens to processes while they have offers. */
export type Trouble = "none" | "crash" | "stall";

export const storeKinds = ["works", "slow", "fails", "hangs", "forgets"] as const;

/** A process that stalls could receive in time what a store answers too late, so those two do not come together. */
export const troublesWith = (store: StorePlan["kind"]): readonly Trouble[] =>
  store === "hangs" ? ["none", "crash"] : ["none", "crash", "stall"];

/** How an app handles an offer. */
export interface AppPlan {
  /** What the first starts do: throw, or answer 503. Later ones answer `status`. */
  readonly failures: readonly ("throws" | 503)[];
  readonly status: number;
  /** How long each start takes; the last one counts for all later ones. */
  readonly takesMs: readonly number[];
}

/** An offer at one receiver. */
export interface OfferRecord {
  /** Names the receiver and the offer. */
  readonly name: string;
  readonly app: AppPlan;
  readonly starts: StartRecord[];
  readonly requests: RequestRecord[];
  readonly senders: SenderRecord[];
}

/** One call of `onEvent`. */
export interface StartRecord {
  readonly request: RequestRecord;
  readonly at: number;
  /** Whether it threw or answered 503, or will do so. */
  readonly fails: boolean;
  endedAt?: number;
}

/** A request that arrived at a process. */
export interface RequestRecord extends Stepping {
  readonly process: Process;
  readonly at: number;
  settledAt?: number;
  status?: number;
  text?: string;
}

/** A sender, which repeats its delivery until it gets an answer below 500. */
export interface SenderRecord {
  attempts: number;
  /** Whether an answer came after the sender's time limit, or never. */
  missedAnAnswer: boolean;
  status: number | undefined;
  text: string;
}

/** The offers of one world with their receivers. */
export interface Receiving {
  readonly plan: ReceivingPlan;
  readonly offers: readonly OfferRecord[];
  /** When the store forgot everything. */
  forgotAt(): number | undefined;
}

/** Draws the options of the receivers and what happens to them. */
export function receivingPlanOf(random: Random): ReceivingPlan {
  const leaseMs = random.pick([300, 2000, 2000, 5000]);
  const storeTimeoutMs = random.pick([200, 1000]);
  const kind = random.pick(storeKinds);
  const trouble = random.pick(troublesWith(kind));
  const steps = ["claim", "complete", "release"] as const;
  return {
    store: {
      kind,
      latencyMs: kind === "slow" ? Math.min(leaseMs / 2, storeTimeoutMs * 0.45) : random.pick([0, 4, 20]),
      failureRate: random.pick([0.3, 0.6, 1]),
      failing: random.chance(0.4) ? steps : [random.pick(steps)],
      untilMs: random.between(1000, 12_000),
      forgetsAtMs: random.between(0, 12_000),
    },
    options: {
      onStoreError: random.chance(0.6) ? "handle" : "reject",
      leaseDurationMs: leaseMs,
      duplicateWaitMs: random.pick([8000, 8000, 2500, 400, 0]),
      storeTimeoutMs,
    },
    trouble,
  };
}

/** Draws how an app handles one offer. */
export function appPlanOf(random: Random, leaseMs: number): AppPlan {
  const times = [0, 3, leaseMs / 3 + 1, leaseMs * 0.8, leaseMs * 1.4, leaseMs * 3, 12_000];
  const isEndless = leaseMs >= 2000 && random.chance(0.03);
  const failures = Array.from({ length: isEndless ? 0 : random.pick([0, 0, 1, 2]) }, () =>
    random.pick(["throws", 503] as const),
  );
  return {
    failures,
    status: random.pick([200, 200, 204, 409, 404]),
    takesMs: isEndless ? [70_000] : [...failures, "succeeds"].map(() => random.pick(times)),
  };
}

/** Draws when the copies of an offer are sent, in milliseconds. */
export function copiesOf(random: Random, leaseMs: number): number[] {
  const delays = [0, 0, random.between(0, 50), random.between(0, leaseMs * 3), random.between(5_000, 150_000)];
  return Array.from({ length: random.pick([1, 2, 3, 4]) }, () => random.pick(delays));
}
