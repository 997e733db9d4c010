import { streamAfter } from "../parts/event-feed.ts";
import type { ControlHandlers } from "../parts/exchange.ts";

/** The number of events of an answer without `limit`. */
const eventsByDefault = 100;

export const eventHandlers = {
  streamEvents({ backend, query, headers }) {
    const resumeAfter = headers.get("last-event-id") ?? query?.after;
    const stream = streamAfter(backend, resumeAfter ?? backend.events.lastId);
    return new Response(stream, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
  },
  listEvents: ({ backend, query: { after, limit = eventsByDefault } }) => backend.events.latest({ after, limit }),
} satisfies Partial<ControlHandlers>;
