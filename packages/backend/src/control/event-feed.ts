import type { Clock } from "../model/clock.ts";
import type { BackendEvent, Events } from "../model/events.ts";
import { clearTimeout, elapsed, endOfTurn, letProcessEnd, setTimeout } from "../utils/real-time.ts";

/** The backend that events come from. */
interface FeedSource {
  readonly events: Pick<Events, "follow" | "latest" | "lastId">;
  readonly clock: Pick<Clock, "iso">;
  flush(): Promise<void>;
}

/** The most events that are sent at once. A reader that is slow has that many in memory. */
const pageEvents = 1000;
/** Milliseconds from one sending to the next. To write takes longer than to answer a request, so what happens meanwhile is sent together. */
const pauseMs = 20;
/** How long a stream is silent at most, in milliseconds: proxies and clients end a connection on which nothing arrives. */
const silentMs = 15_000;
const encoder = new TextEncoder();

/**
 * The events of a backend after a position, as a stream with a comment after each silence. The first event after a pause is sent
 * at the end of its turn. Ends when the events do.
 */
export function streamAfter(source: FeedSource, after: string, commentMs = silentMs): ReadableStream<Uint8Array> {
  let position = after;
  let sentAt = Number.NEGATIVE_INFINITY;
  let isOver = false;
  let wake = (): void => {};
  const end = (): void => {
    isOver = true;
    wake();
  };
  const unfollow = source.events.follow(() => wake(), { ended: end });
  let timer: unknown;
  const say = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    // A slow reader has not read what came before, so that nothing ends its connection.
    if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": idle\n\n"));
    wait(controller);
  };
  const wait = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    timer = setTimeout(say, commentMs, controller);
    letProcessEnd(timer);
  };
  const stop = (): void => clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // An immediate comment tells the reader that it is connected.
      controller.enqueue(encoder.encode(": connected\n\n"));
      wait(controller);
    },
    // The backend keeps the events, so a slow reader costs no memory.
    async pull(controller) {
      const rest = sentAt + pauseMs - elapsed();
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
      let page = pageAfter(position, source);
      while (page.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        await endOfTurn();
        page = pageAfter(position, source);
      }
      stop();
      const last = page.at(-1);
      if (last === undefined) {
        controller.close();
        return;
      }
      // The process may end before the change of the event is stored. If it cannot be, `sandbox.restored` follows.
      await source.flush().catch(() => {});
      position = last.eventId;
      sentAt = elapsed();
      controller.enqueue(encoder.encode(page.map(messageOf).join("")));
      wait(controller);
    },
    cancel() {
      stop();
      unfollow();
      end();
    },
  });
}

/** The events after a position, with one that stands for those that are missing. */
function pageAfter(position: string, { events, clock }: FeedSource): readonly BackendEvent[] {
  const { events: found, complete } = events.latest({ after: position, limit: pageEvents });
  return complete ? found : [gapBefore(found[0], events, clock.iso()), ...found];
}

/** An event as a message of the stream. Without a line `event:`, so that one listener gets every type. */
function messageOf(event: BackendEvent): string {
  return `id: ${event.eventId}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Stands for the events that are missing before `next`, or before the events to come. */
function gapBefore(next: BackendEvent | undefined, { lastId }: Pick<Events, "lastId">, at: string): BackendEvent {
  const id = next?.eventId ?? lastId;
  const dash = id.lastIndexOf("-");
  const number = Number(id.slice(dash + 1)) - (next === undefined ? 0 : 1);
  return { eventId: `${id.slice(0, dash)}-${number}`, at: next?.at ?? at, type: "stream.gap" };
}
