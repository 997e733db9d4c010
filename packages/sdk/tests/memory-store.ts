// A store in memory, which the handlers of a test share as processes share Redis.
import type { EventStore } from "../src/webhooks/event-store.ts";

export function memoryStore(now: () => number = Date.now): EventStore {
  const leases = new Map<string, { readonly owner: string; readonly until: number }>();
  const responses = new Map<string, string>();
  const isFree = (key: string, owner: string): boolean => {
    const lease = leases.get(key);
    return !responses.has(key) && (lease === undefined || lease.until <= now() || lease.owner === owner);
  };
  return {
    async claim(key, owner, leaseDurationMs) {
      const response = responses.get(key);
      if (response !== undefined) return { state: "completed", response };
      if (!isFree(key, owner)) return { state: "in_progress" };
      leases.set(key, { owner, until: now() + leaseDurationMs });
      return { state: "claimed" };
    },
    async complete(key, owner, response) {
      if (!isFree(key, owner)) return false;
      leases.delete(key);
      responses.set(key, response);
      return true;
    },
    async release(key, owner) {
      if (leases.get(key)?.owner === owner) leases.delete(key);
    },
  };
}
