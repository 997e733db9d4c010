import type { BackendEvent } from "@call-transfer/backend";
import { followEvents } from "../../control/follow-events.ts";
import type { Source, StreamListener, StreamState } from "./source.ts";

/** How long events are collected before a follower gets them, in milliseconds: a burst is drawn once. */
const batchMs = 50;

/** What {@link follow} needs of a source. */
export type Feed = Pick<Source, "baseUrl" | "fetch">;

/** Follows the events of a sandbox, and reconnects, until the returned function is called. */
export function follow(
  { baseUrl, fetch }: Feed,
  sandbox: string,
  token: string | undefined,
  listener: StreamListener,
): () => void {
  const leaving = new AbortController();
  let batch: BackendEvent[] = [];
  const flush = () => {
    const full = batch;
    batch = [];
    if (!leaving.signal.aborted) listener.events(full);
  };
  const run = async () => {
    listener.state({ state: "connecting" });
    const events = followEvents({
      url: baseUrl,
      headers: { "X-Sandbox": sandbox, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
      fetch,
      signal: leaving.signal,
      warn: () => listener.state({ state: "lost" }),
      connected: () => listener.state({ state: "live" }),
    });
    for await (const event of events) {
      if (batch.length === 0) setTimeout(flush, batchMs);
      batch.push(event);
    }
  };
  run().catch((error: unknown) => {
    if (!leaving.signal.aborted) listener.state(refusal(error));
  });
  return () => leaving.abort();
}

function refusal(error: unknown): StreamState {
  return { state: "refused", reason: error instanceof Error ? error.message : String(error) };
}
