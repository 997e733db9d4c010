// Handles each event once. In this process, duplicates join the handling in flight or get the response that was remembered;
// between processes, a store or an inbox coordinates.
import { isRejection, type Rejection, unavailable, type WebhookErrorCode } from "./errors.ts";
import { readResponse, writeResponse } from "./stored-response.ts";
import { sleep } from "./timeout.ts";

/** After this time `onEvent` counts as one that never ends. */
export const maxHandlingMs = 60_000;

/** Receives what went wrong apart from `onEvent`. */
export type Report = (error: unknown, code: WebhookErrorCode) => void;

/**
 * Handles each event in a transaction of the app's database, which also stores its response. `postgresInbox` of
 * `/webhooks/postgres` makes one for the option `inbox` of `createWebhookHandler`, which alone calls its methods.
 */
export interface EventInbox<Tx> {
  /** Milliseconds for which responses are kept. */
  readonly retentionMs: number;
  /** Handles an event, unless another process does or did. Rejects if it cannot, or with an error of `onEvent`. */
  coordinate(handling: {
    /** Names the event: 1 to 512 printable ASCII characters without spaces. */
    readonly key: string;
    /** Names this handling: a UUID. */
    readonly owner: string;
    /** Calls `onEvent`. If it rejects or responds with 5xx, the transaction is rolled back. */
    readonly handle: (tx: Tx) => Promise<Response>;
    /** Returns the milliseconds for which this delivery may still wait for another process. */
    readonly leftMs: () => number;
    /** Receives what went wrong apart from `onEvent`, such as an error of the database. */
    readonly report: (error: unknown, code: WebhookErrorCode) => void;
  }): Promise<{
    readonly response: Response;
    /** The response as text for later duplicates; without it, the next one is handled. */
    readonly stored?: string | undefined;
    /** Whether the response is that of another delivery. */
    readonly deduplicated: boolean;
  }>;
  /** Asks the database whether it would store a response. Rejects if not. */
  check(options: { readonly waitMs: number }): Promise<void>;
}

/** How the deliveries of an event are coordinated: over nothing, a store or an inbox. */
export type Coordinate<Tx> = EventInbox<Tx>["coordinate"];

/** One delivery of an event, which this process has in hand. */
export type Handling<Tx> = Parameters<Coordinate<Tx>>[0];

/** What became of a delivery. */
export type Handled = Awaited<ReturnType<Coordinate<unknown>>>;

/** Coordinates nothing: for a handler of one process. */
export const handleAlone: Coordinate<undefined> = async ({ owner, handle }) => {
  const response = await handle(undefined);
  const stored = response.status < 500 ? await writeResponse(response, owner) : undefined;
  return { response, stored, deduplicated: false };
};

/** Characters of responses in one half of the memory. Most responses have about 90. */
const maxCharacters = 8 * 1024 * 1024;

/** The latest responses in two halves, the older of which is evicted when the newer one is full. */
function recentResponses({
  maxAnswers,
  validMs,
  onEvictedEarly,
}: Pick<DeduplicatorSettings<unknown>, "maxAnswers" | "validMs" | "onEvictedEarly">) {
  let [newer, older] = [new Map<string, string>(), new Map<string, string>()];
  let characters = 0;
  let filledAt = Number.NEGATIVE_INFINITY;
  const get = (key: string): string | undefined => newer.get(key) ?? older.get(key);
  /** Adds a response. The first one of an event stays. */
  const add = (key: string, stored: string): void => {
    if (get(key) !== undefined) return;
    if (newer.size >= maxAnswers || characters > maxCharacters) {
      const isEarly = older.size > 0 && performance.now() - filledAt < validMs;
      [older, newer, characters, filledAt] = [newer, new Map(), 0, performance.now()];
      if (isEarly) onEvictedEarly?.();
    }
    newer.set(key, stored);
    characters += stored.length;
  };
  return { get, add };
}

/** What became of a handling in flight. Without both, the next duplicate is handled. */
interface End {
  readonly stored?: string;
  readonly rejection?: Rejection;
}

/** A runtime may not wake a request for another one: Workers. */
const wakeMs = 1000;

/** An event that one delivery has in hand, while others wait for its end. */
export class InFlight {
  #end: End | undefined;
  #settle: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });
  readonly #timer: ReturnType<typeof setInterval>;
  #aliveUntil: number;

  /** Alive until it ends, for at most `maxMs`, and for `aliveMs` after its runtime has ended the request with its timers. */
  constructor(aliveMs: number, maxMs: number) {
    const lastMs = performance.now() + maxMs;
    this.#aliveUntil = performance.now() + aliveMs;
    this.#timer = setInterval(() => {
      this.#aliveUntil = Math.min(performance.now() + aliveMs, lastMs);
    }, aliveMs / 3);
  }

  async isAbandoned(): Promise<boolean> {
    const isOver = () => performance.now() >= this.#aliveUntil;
    // After a stall, timers that are due run before this one.
    if (isOver()) await sleep(1);
    return isOver();
  }

  /** The first end counts. */
  end(end: End): void {
    this.#end ??= end;
    clearInterval(this.#timer);
    this.#settle();
  }

  /** Returns the end, or undefined after so many milliseconds, or as soon as it may be abandoned. */
  async wait(leftMs: number): Promise<End | undefined> {
    const until = performance.now() + leftMs;
    const isAlive = () => performance.now() < this.#aliveUntil;
    for (let left = leftMs; !this.#end && left > 0 && isAlive(); left = until - performance.now()) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const pause = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.min(wakeMs, left));
      });
      await Promise.race([this.#ended, pause]);
      clearTimeout(timer);
    }
    return this.#end;
  }
}

/** Settings of a deduplicator. The options of `createWebhookHandler` describe those that have their names. */
export interface DeduplicatorSettings<Tx> {
  readonly leaseDurationMs: number;
  readonly duplicateWaitMs: number;
  readonly maxAnswers: number;
  readonly coordinate: Coordinate<Tx>;
  readonly report: Report;
  /** Called when responses are evicted that are younger than `validMs`. */
  readonly onEvictedEarly?: (() => void) | undefined;
  readonly validMs: number;
}

/** Handles the events of one handler once each. */
export function createDeduplicator<Tx>(settings: DeduplicatorSettings<Tx>) {
  const { leaseDurationMs, duplicateWaitMs, coordinate, report } = settings;
  const inFlight = new Map<string, InFlight>();
  const responses = recentResponses(settings);

  const letGo = (key: string, current: InFlight): void => {
    if (inFlight.get(key) === current) inFlight.delete(key);
  };

  const begin = async (key: string, handle: (tx: Tx) => Promise<Response>, leftMs: () => number): Promise<Handled> => {
    const current = new InFlight(leaseDurationMs, duplicateWaitMs + maxHandlingMs);
    inFlight.set(key, current);
    try {
      const handled = await coordinate({ key, owner: crypto.randomUUID(), handle, leftMs, report });
      if (handled.stored !== undefined) {
        responses.add(key, handled.stored);
        current.end({ stored: handled.stored });
      }
      return handled;
    } catch (error) {
      // Those that wait would find the same. A delivery that has waited for too long says nothing about others.
      if (isRejection(error) && error.code !== "duplicate_timeout") current.end({ rejection: error });
      throw error;
    } finally {
      current.end({});
      letGo(key, current);
    }
  };

  /** Handles an event, or waits for its response. 5xx and errors are not remembered, so the next duplicate is handled. */
  return async (key: string, handle: (tx: Tx) => Promise<Response>): Promise<Handled> => {
    const from = performance.now();
    const leftMs = () => Math.max(0, duplicateWaitMs - (performance.now() - from));
    for (;;) {
      let stored = responses.get(key);
      const current = inFlight.get(key);
      if (stored === undefined && !current) return begin(key, handle, leftMs);
      if (stored === undefined && current) {
        if (await current.isAbandoned()) {
          letGo(key, current);
          continue;
        }
        const end = await current.wait(leftMs());
        if (end === undefined && leftMs() > 0) continue;
        if (end === undefined) throw unavailable("duplicate_timeout");
        if (end.rejection) throw end.rejection;
        stored = end.stored;
      }
      if (stored !== undefined) return { response: readResponse(stored), deduplicated: true };
    }
  };
}
