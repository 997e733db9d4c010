// A store in memory, which the handlers of a test share as processes share Redis, and those processes.
import { vi } from "vitest";
import { Deduplicator, handleAlone, type Report } from "../src/webhooks/deduplicator.ts";
import type { WebhookErrorCode } from "../src/webhooks/errors.ts";
import { StoreCoordinator, type StoreSettings } from "../src/webhooks/event-store.ts";
import type { EventStore } from "../src/webhooks.ts";

export function memoryStore(): EventStore {
  const leases = new Map<string, { readonly owner: string; readonly until: number }>();
  const responses = new Map<string, string>();
  const isFree = (key: string, owner: string): boolean => {
    const lease = leases.get(key);
    return !responses.has(key) && (lease === undefined || lease.until <= Date.now() || lease.owner === owner);
  };
  return {
    async claim(key, owner, leaseDurationMs) {
      const response = responses.get(key);
      if (response !== undefined) return { state: "completed", response };
      if (!isFree(key, owner)) return { state: "in_progress" };
      leases.set(key, { owner, until: Date.now() + leaseDurationMs });
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

/** Settings of a process. */
export type ProcessSettings = Partial<StoreSettings & { maxAnswers: number; leaseDurationMs: number; validMs: number }>;

/** A process over a store, or alone, with what it reports. */
export function openProcess(store: EventStore | undefined, settings: ProcessSettings = {}) {
  const codes: WebhookErrorCode[] = [];
  const report = vi.fn<Report>((_, code) => void codes.push(code));
  const usual = { onStoreError: "handle", leaseDurationMs: 2000, duplicateWaitMs: 8000, storeTimeoutMs: 1000 } as const;
  const all = { ...usual, maxAnswers: 10_000, validMs: 600_000, report, ...settings };
  const shared = settings.store ?? store;
  const coordinate = shared ? new StoreCoordinator({ ...all, store: shared }).coordinate : handleAlone;
  const onEvictedEarly = vi.fn();
  const events = new Deduplicator<undefined>({ ...all, coordinate, onEvictedEarly });
  return { events, codes, report, onEvictedEarly, errors: () => report.mock.calls.map(([error]) => error) };
}
