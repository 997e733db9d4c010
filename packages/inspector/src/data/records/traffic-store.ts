import type { BackendEvent } from "@call-transfer/backend";
import { type ControlClient, dataAs } from "@call-transfer/backend/control-client";
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Session } from "../session/session.ts";
import { messageIn } from "../values/format.ts";
import { entryOfDelivery, entryOfEvent, entryOfRequest, type TrafficEntry } from "./traffic-entry.ts";

/** The requests and deliveries of the current sandbox, newest first. */
export interface TrafficStore {
  readonly entries: ReadonlySignal<readonly TrafficEntry[]>;
  /** Whether the request log was read. */
  readonly isLoaded: ReadonlySignal<boolean>;
  /** Why it could not be read. */
  readonly error: ReadonlySignal<string | undefined>;
  /** Leaves out everything so far. */
  clear(): void;
}

/** How many rows are kept. */
const maxEntries = 10_000;

const stores = new WeakMap<Session, TrafficStore>();

/** The traffic of a session. It is collected from the first call on, also while another screen is shown. */
export function trafficOf(session: Session): TrafficStore {
  let store = stores.get(session);
  if (store === undefined) {
    store = createTrafficStore(session);
    stores.set(session, store);
  }
  return store;
}

/** Adds rows to those that are there, newest first, and drops the oldest beyond the limit. A row with a known key is replaced. */
export function addEntries(
  entries: readonly TrafficEntry[],
  keys: Set<string>,
  added: readonly TrafficEntry[],
  limit = maxEntries,
): readonly TrafficEntry[] {
  const fresh: TrafficEntry[] = [];
  const changed = new Map<string, TrafficEntry>();
  for (const entry of added) {
    if (keys.has(entry.key)) changed.set(entry.key, entry);
    else fresh.push(entry);
    keys.add(entry.key);
  }
  const all = [...fresh.reverse(), ...entries];
  for (const { key } of all.slice(limit)) keys.delete(key);
  const kept = all.slice(0, limit);
  if (changed.size === 0) return kept;
  return kept.map((entry) => {
    const next = changed.get(entry.key);
    // A delivery keeps the time at which it was sent.
    return next === undefined ? entry : { ...next, at: entry.at };
  });
}

/** Puts two lists in the order of their times; each is in order, oldest first. */
function inOrder(one: readonly TrafficEntry[], other: readonly TrafficEntry[]): TrafficEntry[] {
  return [...one, ...other].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

async function load(control: ControlClient): Promise<TrafficEntry[]> {
  const [requests, deliveries] = await Promise.all([
    control.GET("/_control/v1/requests"),
    control.GET("/_control/v1/webhooks/deliveries", { params: { query: { redact: true } } }),
  ]);
  return inOrder(
    dataAs<"RequestList">(requests).requests.map(entryOfRequest),
    dataAs<"DeliveryList">(deliveries).deliveries.map(entryOfDelivery),
  );
}

function createTrafficStore(session: Session): TrafficStore {
  const rows = createRows();
  const isLoaded = signal(false);
  const error = signal<string | undefined>(undefined);
  /** What arrived while the request log is read. */
  let waiting: TrafficEntry[] = [];
  let loading: object | undefined;

  const reload = async () => {
    const own = {};
    loading = own;
    waiting = [];
    const result = await load(session.control.peek()).catch((reason: unknown) => reason);
    if (loading !== own) return;
    loading = undefined;
    if (Array.isArray(result)) {
      // Events of before the reading are among what was read.
      rows.replace(result);
      error.value = undefined;
      isLoaded.value = true;
    } else {
      error.value = messageIn(result);
    }
    rows.add(waiting);
  };
  const forget = () => {
    isLoaded.value = false;
    rows.forget();
    void reload();
  };
  const take = (events: readonly BackendEvent[]) => {
    let batch: TrafficEntry[] = [];
    for (const event of events) {
      // What happened between the reading and the beginning of the events.
      if (event.type === "stream.began") void reload();
      if (isReload(event.type)) {
        batch = [];
        forget();
      }
      const entry = entryOfEvent(event);
      if (entry !== undefined) batch.push(entry);
    }
    if (batch.length === 0) return;
    if (loading !== undefined) waiting.push(...batch);
    else rows.add(batch);
  };

  session.onEvents(take);
  // Another sandbox, or the token that was missing.
  effect(() => {
    void session.control.value;
    forget();
  });
  return { entries: rows.entries, isLoaded, error, clear: rows.clear };
}

/** The rows, without those that were cleared. */
function createRows() {
  const entries = signal<readonly TrafficEntry[]>([]);
  let keys = new Set<string>();
  let hidden: ReadonlySet<string> = new Set();
  const replace = (next: readonly TrafficEntry[]) => {
    keys = new Set();
    entries.value = addEntries(
      [],
      keys,
      next.filter(({ key }) => !hidden.has(key)),
    );
  };
  return {
    entries,
    replace,
    add(more: readonly TrafficEntry[]) {
      entries.value = addEntries(entries.value, keys, more);
    },
    clear() {
      hidden = new Set([...hidden, ...keys]);
      replace([]);
    },
    forget() {
      hidden = new Set();
      replace([]);
    },
  };
}

/** Whether the request log may be another one. */
function isReload(type: string): boolean {
  return type === "stream.gap" || type === "sandbox.reset" || type === "sandbox.restored";
}
