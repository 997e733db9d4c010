import type { BackendEvent } from "@call-transfer/backend";
import { followEvents, RejectedStream } from "@call-transfer/backend/control-client";
import type { Feed, Source, StreamListener } from "./source.ts";

/** How long events are collected before a follower gets them, in milliseconds: a burst is drawn once. */
const batchMs = 100;

/** How long after a server could not be reached the next attempt begins, in milliseconds. */
const againMs = 1000;

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
  const keepRunning = async () => {
    listener.state({ state: "connecting" });
    while (!leaving.signal.aborted) {
      try {
        await run();
      } catch (error) {
        if (leaving.signal.aborted) return;
        if (error instanceof RejectedStream && (error.status ?? 0) < 500) {
          listener.state({ state: "refused", status: error.status, reason: error.message });
          return;
        }
        listener.state({ state: "lost" });
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    }
  };
  void keepRunning();
  return () => leaving.abort();
}

/** Follows events from this page, without a worker. */
export const followHere =
  (feed: Feed): Source["follow"] =>
  (...args) =>
    follow(feed, ...args);
