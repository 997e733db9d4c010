import type { BackendEvent } from "@call-transfer/backend";
import { dataAs } from "@call-transfer/backend/control-client";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useSession } from "../../data/session/context.ts";
import type { Fault } from "./fault.ts";

/** A request or a delivery that a fault changed. */
export interface FaultHit {
  readonly at: string;
  readonly requestId?: string | undefined;
  readonly deliveryId?: string | undefined;
}

/** What has happened to one fault. */
export interface FaultHistory {
  readonly id: string;
  /** As it was added; undefined if that is too long ago. */
  readonly fault: Fault | undefined;
  /** The latest hits, newest first. */
  readonly hits: readonly FaultHit[];
  /** When and how it ended. */
  readonly removed: { readonly at: string; readonly hits: number; readonly isUsedUp: boolean } | undefined;
}

/** What has happened to each fault by its id, in the order of adding. */
export type FaultHistories = ReadonlyMap<string, FaultHistory>;

const keptHits = 5;
const keptFaults = 200;

/** The histories after some more events. */
export function withEvents(histories: FaultHistories, events: readonly BackendEvent[]): FaultHistories {
  const next = new Map(histories);
  for (const event of events) {
    if (event.type === "sandbox.reset" || event.type === "sandbox.restored") next.clear();
    const { id, at } = event;
    if (id === undefined || !event.type.startsWith("fault.")) continue;
    const before = next.get(id) ?? { id, fault: undefined, hits: [], removed: undefined };
    if (event.type === "fault.added") next.set(id, { ...before, fault: event as BackendEvent & Fault });
    if (event.type === "fault.hit") {
      const { requestId, deliveryId } = event as BackendEvent & FaultHit;
      next.set(id, { ...before, hits: [{ at, requestId, deliveryId }, ...before.hits].slice(0, keptHits) });
    }
    if (event.type === "fault.removed") {
      const { hits, isUsedUp } = event as BackendEvent & { readonly hits: number; readonly isUsedUp: boolean };
      next.set(id, { ...before, removed: { at, hits, isUsedUp } });
    }
  }
  const surplus = [...next.keys()].slice(0, Math.max(0, next.size - keptFaults));
  for (const id of surplus) next.delete(id);
  return next;
}

/** Follows what happens to the faults of the current sandbox, beginning with the events that the server still has. */
export function useFaultHistories(): FaultHistories {
  const session = useSession();
  const histories = useSignal<FaultHistories>(new Map());
  const control = session.control.value;
  useEffect(() => {
    let loading: object | undefined;
    /** What arrived while the events are read. */
    let early: readonly BackendEvent[] = [];
    histories.value = new Map();
    const load = async () => {
      const own = {};
      loading = own;
      early = [];
      const result = await control
        .GET("/_control/v1/events", { params: { query: { limit: 2000 } } })
        .catch(() => undefined);
      if (loading !== own) return;
      loading = undefined;
      if (result?.data === undefined) return;
      const { events } = dataAs<"EventList">(result) as { readonly events: readonly BackendEvent[] };
      const known = new Set(events.map(({ eventId }) => eventId));
      histories.value = withEvents(new Map(), [...events, ...early.filter(({ eventId }) => !known.has(eventId))]);
    };
    const stop = session.onEvents((events) => {
      // Events are missing, or another server sends them.
      if (events.some(({ type }) => type.startsWith("stream."))) void load();
      if (loading !== undefined) early = [...early, ...events];
      else histories.value = withEvents(histories.value, events);
    });
    void load();
    return () => {
      loading = undefined;
      stop();
    };
  }, [control]);
  return histories.value;
}
