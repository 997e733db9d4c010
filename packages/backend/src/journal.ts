import type { ErrorCode } from "@call-transfer/spec";

/** One request and its answer. Holds no header, no query and no body, so no secret. */
export interface JournalEntry {
  /** Counts up from 1. */
  readonly id: number;
  /** When the request came, as an ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  readonly status: number;
  /** The error code of the answer; absent for a success and for a raw answer of a fault. */
  readonly code?: ErrorCode;
  readonly requestId: string;
}

/** The latest requests, oldest first. */
export interface Journal {
  list(): readonly JournalEntry[];
}

const maxEntries = 1000;

/** Creates a journal that keeps the latest 1000 requests. */
export function createJournal(): Journal & { add(entry: Omit<JournalEntry, "id">): void; clear(): void } {
  let entries: JournalEntry[] = [];
  let last = 0;
  return {
    list: () => entries.slice(-maxEntries),
    add(entry) {
      last += 1;
      entries.push({ id: last, ...entry });
      // Cutting now and then is cheaper than shifting at every request.
      if (entries.length >= 2 * maxEntries) entries = entries.slice(-maxEntries);
    },
    clear() {
      entries = [];
      last = 0;
    },
  };
}
