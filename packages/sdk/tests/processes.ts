// Processes over a store, which a test plays without requests.
import { vi } from "vitest";
import { createDeduplicator, handleAlone, type Report } from "../src/webhooks/deduplicator.ts";
import type { WebhookErrorCode } from "../src/webhooks/errors.ts";
import { createStoreCoordinator, type EventStore, type StoreSettings } from "../src/webhooks/event-store.ts";

/** Settings of a process. */
export type ProcessSettings = Partial<StoreSettings & { maxAnswers: number; leaseDurationMs: number; validMs: number }>;

/** A process over a store, or alone, with what it reports. */
export function openProcess(store: EventStore | undefined, settings: ProcessSettings = {}) {
  const codes: WebhookErrorCode[] = [];
  const report = vi.fn<Report>((_, code) => void codes.push(code));
  const usual = { onStoreError: "handle", leaseDurationMs: 2000, duplicateWaitMs: 8000, storeTimeoutMs: 1000 } as const;
  const all = { ...usual, maxAnswers: 10_000, validMs: 600_000, report, ...settings };
  const shared = settings.store ?? store;
  const coordinate = shared ? createStoreCoordinator({ ...all, store: shared }).coordinate : handleAlone;
  const onEvictedEarly = vi.fn();
  const handle = createDeduplicator<undefined>({ ...all, coordinate, onEvictedEarly });
  return { events: { handle }, codes, report, onEvictedEarly, errors: () => report.mock.calls.map(([error]) => error) };
}
