import type { EventClaim, EventStore } from "./event-store.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { refuseOldNames } from "./signature.ts";

/** Options of `memoryEventStore`. */
export interface MemoryEventStoreOptions {
  /** How many answers to keep; 10,000 by default. The oldest are forgotten first, which `onError` is told (`store_forgets`). */
  maxEvents?: number;
  /** Source of time in milliseconds since 1970; `Date` by default. */
  clock?: { now(): number };
}

/**
 * Creates a store in the memory of this process, the default of `createWebhookHandler`. It forgets everything when the
 * process ends, so it fits receivers of one process. All answers together are at most 16 million characters.
 *
 * @throws {TypeError} An option is invalid.
 */
export function memoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  refuseOldNames(options);
  const { maxEvents = 10_000, clock = Date } = options;
  if (!Number.isInteger(maxEvents) || maxEvents < 1) throw new TypeError("maxEvents must be an integer above 0");
  if (typeof clock.now !== "function") throw new TypeError("clock must have now()");
  // In order of time: what ends first comes first.
  const leases = new Map<string, { readonly owner: string; readonly until: number }>();
  const answers = new KeptAnswers(maxEvents);

  const forgetOld = (time: number): void => {
    for (const [key, { until }] of leases) {
      if (until > time) break;
      leases.delete(key);
    }
    answers.forgetOld(time);
  };
  /** What the store has of an event for an owner. */
  const stateFor = (key: string, owner: string, time: number): EventClaim => {
    const answer = answers.get(key, time);
    if (answer !== undefined) return { state: "done", answer };
    const lease = leases.get(key);
    return { state: lease === undefined || lease.until <= time || lease.owner === owner ? "mine" : "busy" };
  };

  return {
    get forgottenEarly() {
      return answers.forgottenEarly;
    },
    async claim(key, owner, leaseMs) {
      const time = clock.now();
      forgetOld(time);
      const claim = stateFor(key, owner, time);
      if (claim.state !== "mine") return claim;
      leases.delete(key);
      leases.set(key, { owner, until: time + leaseMs });
      return claim;
    },
    async complete(key, owner, answer, keepMs) {
      const time = clock.now();
      if (stateFor(key, owner, time).state !== "mine") return false;
      leases.delete(key);
      answers.set(key, answer, time + keepMs);
      forgetOld(time);
      return true;
    },
    async release(key, owner) {
      if (leases.get(key)?.owner === owner) leases.delete(key);
    },
  };
}
