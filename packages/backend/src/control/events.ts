import type { BackendEvent } from "../model/events.ts";
import type { ControlHandlers } from "./exchange.ts";

/** The maximum number of unread events; a slower reader is disconnected. */
const maxUnread = 1000;

export const eventHandlers = {
  streamEvents({ backend }) {
    const encoder = new TextEncoder();
    let stop = (): void => {};
    const stream = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const end = (): void => {
            stop();
            controller.close();
          };
          const send = (event: BackendEvent): void => {
            if ((controller.desiredSize ?? 0) <= 0) end();
            else controller.enqueue(encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
          };
          stop = backend.events.follow(send, end);
          // An immediate comment tells the reader that it is connected.
          controller.enqueue(encoder.encode(": connected\n\n"));
        },
        cancel: () => stop(),
      },
      { highWaterMark: maxUnread },
    );
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
    return new Response(stream, { headers });
  },
} satisfies Partial<ControlHandlers>;
