import { setTimeout as sleep } from "node:timers/promises";
import type { BackendEvent } from "@call-transfer/backend";
import { messageOf } from "./control-client.ts";

/** A stream of events to follow. */
export interface EventSource {
  /** The server's URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The id of the last event already seen. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Receives a sentence when the server is gone, and when it is back. */
  warn(text: string): void;
}

const firstPauseMs = 250;
const longestPauseMs = 5000;

/**
 * Yields events as they happen, until the signal aborts. After a lost connection it connects again and continues after the
 * last event. Throws an Error if the first connection fails or the server rejects one.
 */
export async function* followEvents({ url, headers, after, signal, warn }: EventSource): AsyncGenerator<BackendEvent> {
  let position = after;
  let hasConnected = false;
  let pauseMs = 0;
  while (!signal.aborted) {
    const response = await connect(`${url}/_control/v1/events`, position, headers, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      if (!hasConnected || error instanceof RejectedStream) throw error;
      return undefined;
    });
    if (response?.body) {
      if (pauseMs > firstPauseMs) warn(`Connected to ${url} again.`);
      hasConnected = true;
      pauseMs = 0;
      try {
        for await (const event of eventsIn(response.body)) {
          position = event.eventId;
          yield event;
        }
      } catch {
        // A connection that breaks off, also after a long silence. The next one continues after the last event.
      }
    } else if (pauseMs === firstPauseMs) warn(`Lost the connection to ${url}. Trying again until Ctrl-C.`);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = pauseMs === 0 ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs);
  }
}

async function connect(
  url: string,
  after: string | undefined,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const response = await fetch(url, {
    headers: { ...headers, accept: "text/event-stream", ...(after !== undefined && { "Last-Event-ID": after }) },
    signal,
  });
  if (response.ok) return response;
  throw new RejectedStream(messageOf(await response.json()));
}

/** The server answered with an error, so another attempt would get the same. */
class RejectedStream extends Error {}

/** Parses server-sent events whose data is an event as JSON. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<BackendEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const lines = block.split("\n").filter((line) => line.startsWith("data: "));
      if (lines.length > 0) yield JSON.parse(lines.map((line) => line.slice("data: ".length)).join("\n"));
    }
  }
}
