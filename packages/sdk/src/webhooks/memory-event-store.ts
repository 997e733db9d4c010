import type { EventClaim, EventStore } from "./event-store.ts";
import { refuseOldNames } from "./signature.ts";

/** Options of `memoryEventStore`. */
export interface MemoryEventStoreOptions {
  /** How many answers to keep; 10,000 by default. The oldest are forgotten first. */
  maxEvents?: number;
  /** Source of time in milliseconds since 1970; `Date` by default. */
  clock?: { now(): number };
}

/** How many characters of answers to keep. Most answers have about 14. */
const maxCharacters = 16 * 1024 * 1024;

/**
 * Creates a store in the memory of this process, the default of `createWebhookHandler`. It forgets everything when the
 * process ends, so it fits receivers of one process.
 *
 * @throws {TypeError} An option is invalid.
 */
export function memoryEventStore(options: MemoryEventStoreOptions = {}): EventStore {
  refuseOldNames(options);
  const { maxEvents = 10_000, clock = Date } = options;
  if (!Number.isInteger(maxEvents) || maxEvents < 1) throw new TypeError("maxEvents must be an integer above 0");
  if (typeof clock.now !== "function") throw new TypeError("clock must have now()");
  // Both are in order of time: what ends first comes first.
  const leases = new Map<string, { readonly owner: string; readonly until: number }>();
  const answers = new Map<string, { readonly answer: string; readonly until: number }>();
  let characters = 0;

  const forget = (key: string): void => {
    characters -= answers.get(key)?.answer.length ?? 0;
    answers.delete(key);
  };
  const forgetOld = (time: number): void => {
    for (const [key, { until }] of leases) {
      if (until > time) break;
      leases.delete(key);
    }
    for (const [key, { until }] of answers) {
      if (until > time && answers.size <= maxEvents && characters <= maxCharacters) break;
      forget(key);
    }
  };
  /** What the store has of an event for an owner. */
  const stateFor = (key: string, owner: string, time: number): EventClaim => {
    const done = answers.get(key);
    if (done !== undefined && done.until > time) return { state: "done", answer: done.answer };
    const lease = leases.get(key);
    return { state: lease === undefined || lease.until <= time || lease.owner === owner ? "mine" : "busy" };
  };

  return {
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
      forget(key);
      answers.set(key, { answer, until: time + keepMs });
      characters += answer.length;
      forgetOld(time);
      return true;
    },
    async release(key, owner) {
      if (leases.get(key)?.owner === owner) leases.delete(key);
    },
  };
}
