import type { BackendClock } from "./clock.ts";

/** Something that happened in a backend. Holds no secret. */
export interface BackendEvent {
  /**
   * `<stream>-<number>`, such as `9f3c1a20-17`. No other event has it. The number counts up from 1 for the life of the
   * backend, also across a reset; the stream is another one for each backend.
   */
  readonly eventId: string;
  /** An ISO 8601 timestamp of the backend's clock. */
  readonly at: string;
  /** Its type, such as `call.completed` or `transfer.connected`. */
  readonly type: string;
  /** The id of the call, transfer, delivery, record or request that it is about. */
  readonly id?: string;
  readonly [detail: string]: unknown;
}

/** What an event says besides its id, time and type. An `at` replaces the time of the announcement. */
export type EventDetails = Readonly<Record<string, unknown>>;

/** Selects kept events. */
export interface EventSelection {
  /** The id of an event: selects those after it. */
  readonly after?: string | undefined;
  /** The maximum number: the oldest after `after`, otherwise the latest. All by default. */
  readonly limit?: number | undefined;
}

/** Kept events, oldest first. */
export interface KeptEvents {
  /** The events after the position that was asked for, oldest first. */
  readonly events: readonly BackendEvent[];
  /**
   * Whether nothing is missing between `after`, or without it the start of the backend, and the first of these events. Old
   * events are dropped, and an id may be of a backend that is gone.
   */
  readonly complete: boolean;
}

/** How to follow events. */
export interface FollowOptions {
  /** Runs once when the events end, unless the follower has left. */
  readonly ended?: () => void;
}

/** The events of one backend, sent to followers as they happen. The latest 2000 are kept. */
export interface Events {
  /** The id of the latest event; before the first one, an id with the number 0. */
  readonly lastId: string;
  /** Announces an event. Details that take time to collect are a function, which runs when someone reads the event. */
  emit(type: string, about?: EventDetails | (() => EventDetails)): void;
  /** Runs `task` without announcing events. */
  quietly<Result>(task: () => Result): Result;
  /**
   * Calls `listener` for each event until the returned function is called. What a listener throws disturbs neither the
   * backend nor other listeners; it is thrown again on its own, as an uncaught exception.
   */
  follow(listener: (event: BackendEvent) => void, options?: FollowOptions): () => void;
  /** Returns kept events. */
  latest(selection?: EventSelection): KeptEvents;
  /** Removes every follower. */
  end(): void;
}

/** The number of events that a backend keeps. */
const keptEvents = 2000;

/** An event as it is kept. The details of a request are only built when someone reads them. */
interface Kept {
  readonly number: number;
  readonly at: string;
  readonly type: string;
  readonly about: EventDetails | (() => EventDetails) | undefined;
}

interface Follower {
  readonly listener: (event: BackendEvent) => void;
  ended(): void;
}

/** Creates the events of one backend. */
export function createEvents(clock: Pick<BackendClock, "iso">): Events {
  const followers = new Set<Follower>();
  const stream = new EventStream();
  let isQuiet = false;
  return {
    get lastId() {
      return stream.lastId;
    },
    emit(type, about) {
      if (isQuiet) return;
      const kept = stream.add(clock.iso(), type, about);
      if (followers.size === 0) return;
      const event = stream.build(kept);
      for (const { listener } of [...followers]) notify(listener, event);
    },
    quietly(task) {
      const before = isQuiet;
      isQuiet = true;
      try {
        return task();
      } finally {
        isQuiet = before;
      }
    },
    follow(listener, { ended = () => {} } = {}) {
      const follower: Follower = { listener, ended };
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    latest: (selection) => stream.latest(selection),
    end() {
      const all = [...followers];
      followers.clear();
      for (const { ended } of all) ended();
    },
  };
}

/**
 * The latest items, numbered from 1, in a ring buffer: objects that are held for long cost every request a share of garbage
 * collection.
 */
export class Ring<Item> {
  readonly #size: number;
  #items: Item[] = [];
  /** The number of the latest item. */
  last = 0;
  /** The last number before the latest clear: positions count from there. */
  cleared = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** The number before the oldest item. */
  get dropped(): number {
    return Math.max(this.cleared, this.last - this.#size);
  }

  add(item: Item): void {
    this.last += 1;
    this.#items[this.#position(this.last)] = item;
  }

  /** The item of a number; undefined if it is not kept. */
  at(number: number): Item | undefined {
    return number > this.dropped && number <= this.last ? this.#items[this.#position(number)] : undefined;
  }

  /** The items after a number, oldest first. */
  after(number = 0): Item[] {
    const first = Math.max(number, this.dropped) + 1;
    const numbers = Array.from({ length: Math.max(0, this.last - first + 1) }, (_, index) => first + index);
    return numbers.map((one) => this.at(one)).filter((item) => item !== undefined);
  }

  /** Puts items, with their numbers, in place of the present ones. */
  resume(last: number, cleared: number, items: readonly (readonly [number: number, item: Item])[] = []): void {
    this.last = last;
    this.cleared = cleared;
    this.#items = [];
    for (const [number, item] of items) this.#items[this.#position(number)] = item;
  }

  #position(number: number): number {
    return (number - this.cleared - 1) % this.#size;
  }
}

/** The events of a stream: their ids, and the latest of them. */
class EventStream {
  readonly #events = new Ring<Kept>(keptEvents);
  #stream: string | undefined;

  get lastId(): string {
    return this.#idOf(this.#events.last);
  }

  add(at: string, type: string, about: Kept["about"]): Kept {
    const kept = { number: this.#events.last + 1, at, type, about };
    this.#events.add(kept);
    return kept;
  }

  build({ number, at, type, about }: Kept): BackendEvent {
    return { eventId: this.#idOf(number), at, type, ...(typeof about === "function" ? about() : about) };
  }

  latest({ after, limit = keptEvents }: EventSelection = {}): KeptEvents {
    const known = after === undefined ? 0 : this.#numberOf(after);
    const next = Math.max(known ?? 0, this.#events.dropped);
    const before = after === undefined ? Math.max(next, this.#events.last - limit) : next;
    return {
      events: this.#events
        .after(before)
        .slice(0, limit)
        .map((kept) => this.build(kept)),
      complete: known !== undefined && before === known,
    };
  }

  #idOf(number: number): string {
    this.#stream ??= newStream();
    return `${this.#stream}-${number}`;
  }

  /** The number in an id; undefined for an id of another stream. */
  #numberOf(id: string): number | undefined {
    const number = Number(id.slice(id.lastIndexOf("-") + 1));
    return Number.isSafeInteger(number) && number <= this.#events.last && id === this.#idOf(number)
      ? number
      : undefined;
  }
}

/** Whether an event says what the clock itself does. */
export function isOfClock(type: string): boolean {
  return type === "clock.changed" || type.startsWith("timer.");
}

function newStream(): string {
  return [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function notify(listener: (event: BackendEvent) => void, event: BackendEvent): void {
  try {
    listener(event);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
