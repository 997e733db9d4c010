import { joinFeed } from "../parts/event-feed.ts";
import type { ControlHandlers } from "../parts/exchange.ts";

/** The number of events of an answer without `limit`. */
const eventsByDefault = 100;

export const eventHandlers = {
  streamEvents({ backend, query, headers }) {
    const resumeAfter = headers.get("last-event-id") ?? query?.after;
    let position = resumeAfter ?? backend.events.lastId;
    const { feed, leave } = joinFeed(backend);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        // An immediate comment tells the reader that it is connected.
        controller.enqueue(new TextEncoder().encode(": connected\n\n"));
      },
      // The backend keeps the events, so a slow reader costs no memory.
      async pull(controller) {
        const page = await feed.pageAfter(position);
        if (page === undefined) {
          controller.close();
          return;
        }
        // The process may end before the change of the event is stored. If it cannot be, `sandbox.restored` follows.
        await backend.saved().catch(() => {});
        position = page.lastId;
        controller.enqueue(page.bytes);
      },
      cancel: leave,
    });
    return new Response(stream, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
  },
  listEvents: ({ backend, query: { after, limit = eventsByDefault } }) => backend.events.latest({ after, limit }),
} satisfies Partial<ControlHandlers>;
