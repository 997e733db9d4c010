import type { BackendEvent, Events } from "../../model/changes/events.ts";
import type { ControlHandlers } from "../parts/exchange.ts";

/** The number of events of an answer without `limit`. */
const eventsByDefault = 100;

export const eventHandlers = {
  streamEvents({ backend: { events, clock, saved }, query, headers }) {
    const encoder = new TextEncoder();
    const resumeAfter = headers.get("last-event-id") ?? query?.after;
    let position = resumeAfter ?? events.lastId;
    let isEnded = false;
    let wake = (): void => {};
    const stop = events.follow(() => wake(), {
      ended() {
        isEnded = true;
        wake();
      },
    });
    /** The event after the position. The backend keeps the events, so a slow reader costs no memory. */
    const next = (): BackendEvent | undefined => {
      const { events: found, isComplete } = events.latest({ after: position, limit: 1 });
      return isComplete ? found[0] : gapBefore(found[0], events, clock.iso());
    };
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        // An immediate comment tells the reader that it is connected.
        controller.enqueue(encoder.encode(": connected\n\n"));
      },
      async pull(controller) {
        let event = next();
        while (event === undefined && !isEnded) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          event = next();
        }
        if (event === undefined) {
          controller.close();
          return;
        }
        // The process may end before the change of the event is stored. If it cannot be, `sandbox.restored` follows.
        await saved().catch(() => {});
        position = event.eventId;
        // Without a line `event:`, so that one listener gets every type.
        controller.enqueue(encoder.encode(`id: ${event.eventId}\ndata: ${JSON.stringify(event)}\n\n`));
      },
      cancel: () => stop(),
    });
    return new Response(stream, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
  },
  listEvents: ({ backend, query: { after, limit = eventsByDefault } }) => backend.events.latest({ after, limit }),
} satisfies Partial<ControlHandlers>;

/** Stands for the events that are missing before `next`, or before the events to come. */
function gapBefore(next: BackendEvent | undefined, { lastId }: Pick<Events, "lastId">, at: string): BackendEvent {
  const id = next?.eventId ?? lastId;
  const dash = id.lastIndexOf("-");
  const number = Number(id.slice(dash + 1)) - (next === undefined ? 0 : 1);
  return { eventId: `${id.slice(0, dash)}-${number}`, at: next?.at ?? at, type: "stream.gap" };
}
