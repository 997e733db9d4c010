import type { Clock } from "../model/clock.ts";
import type { BackendEvent, Events } from "../model/events.ts";
import { clearTimeout, endOfTurn, letProcessEnd, setTimeout } from "../utils/real-time.ts";
import type { BackendControls } from "./controls.ts";

/** Events as the stream sends them. */
interface EventPage {
  readonly bytes: Uint8Array;
  /** The id of the last event. */
  readonly lastId: string;
}

/** The backend that events come from. */
interface FeedSource {
  readonly events: Pick<Events, "follow" | "latest" | "lastId">;
  readonly clock: Pick<Clock, "iso">;
}

/** The events of a page at most. A reader that is slow has one in memory. */
const pageEvents = 1000;
/** The pages that are kept for readers at the same position. */
const keptPages = 8;

/**
 * Milliseconds from one sending to the next: 20, and more with many readers. To write to each of them takes longer than to answer
 * a request, so what happens meanwhile is sent together.
 */
function pauseMs(readers: number): number {
  return Math.min(20 + readers / 2, 250);
}

/**
 * The events of one backend for all readers of its stream. An event becomes text once, and readers at the same position get the
 * same bytes. The first event after a pause is sent at the end of its turn, the next ones together.
 */
export class EventFeed {
  readonly #source: FeedSource;
  readonly #encoder = new TextEncoder();
  /** By the id of the event before the page. */
  readonly #pages = new Map<string, EventPage>();
  #waiting: (() => void)[] = [];
  #readers = 0;
  /** The id of the latest event when the readers were last woken. */
  #sent: string;
  #state: "idle" | "pausing" | "ended" = "idle";
  readonly #unfollow: () => void;

  constructor(source: FeedSource) {
    this.#source = source;
    this.#sent = source.events.lastId;
    this.#unfollow = source.events.follow(() => this.#announce(), { ended: () => this.#end() });
  }

  /** Adds a reader. Returns a function that removes it, and returns the number of those that are left. */
  join(): () => number {
    this.#readers += 1;
    return () => {
      this.#readers -= 1;
      if (this.#readers === 0) {
        this.#unfollow();
        // Its timers would go on as long as something happens in each pause.
        this.#end();
      }
      return this.#readers;
    };
  }

  /** Resolves with the events after a position, once there are any; with undefined when the events have ended or all readers have left. */
  async pageAfter(position: string): Promise<EventPage | undefined> {
    while (this.#state !== "ended") {
      // A reader that has what was sent waits for the next sending, although there may be events already.
      const page = position === this.#sent ? undefined : this.#page(position);
      if (page !== undefined) return page;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.#page(position);
  }

  #page(position: string): EventPage | undefined {
    const kept = this.#pages.get(position);
    if (kept !== undefined) return kept;
    const { events, clock } = this.#source;
    const { events: found, complete } = events.latest({ after: position, limit: pageEvents });
    const sent = complete ? found : [gapBefore(found[0], events, clock.iso()), ...found];
    const last = sent.at(-1);
    if (last === undefined) return undefined;
    const page = { bytes: this.#encoder.encode(sent.map(messageOf).join("")), lastId: last.eventId };
    this.#pages.set(position, page);
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size > keptPages) this.#pages.delete(oldest);
    return page;
  }

  #announce(): void {
    if (this.#state !== "idle") return;
    this.#state = "pausing";
    void endOfTurn().then(() => this.#send());
  }

  #send(): void {
    if (this.#state === "ended") return;
    this.#sent = this.#source.events.lastId;
    this.#wake();
    setTimeout(() => this.#endPause(), pauseMs(this.#readers));
  }

  #endPause(): void {
    if (this.#state === "pausing" && this.#sent === this.#source.events.lastId) this.#state = "idle";
    else this.#send();
  }

  #end(): void {
    this.#state = "ended";
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

const feeds = new WeakMap<object, EventFeed>();

/** Joins the readers of a backend's events, until `leave` is called. */
function joinFeed(backend: Pick<BackendControls, "events" | "clock">): { feed: EventFeed; leave(): void } {
  const key = backend.events;
  const feed = feeds.get(key) ?? new EventFeed(backend);
  feeds.set(key, feed);
  const leave = feed.join();
  return {
    feed,
    leave() {
      if (leave() === 0) feeds.delete(key);
    },
  };
}

/** How long a stream is silent at most, in milliseconds: proxies and clients end a connection on which nothing arrives. */
const silentMs = 15_000;
const encoder = new TextEncoder();

/** The events of a backend after a position, as a stream with a comment after each silence. Ends when the events do. */
export function streamAfter(
  backend: Pick<BackendControls, "events" | "clock"> & { flush(): Promise<void> },
  after: string,
  commentMs = silentMs,
): ReadableStream<Uint8Array> {
  let position = after;
  const { feed, leave } = joinFeed(backend);
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
      const page = await feed.pageAfter(position);
      stop();
      if (page === undefined) {
        controller.close();
        return;
      }
      // The process may end before the change of the event is stored. If it cannot be, `sandbox.restored` follows.
      await backend.flush().catch(() => {});
      position = page.lastId;
      controller.enqueue(page.bytes);
      wait(controller);
    },
    cancel() {
      stop();
      leave();
    },
  });
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
