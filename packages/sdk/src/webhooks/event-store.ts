// Stores that several processes share, so that each event gets one response.
import { type Coordinate, type Handled, type Handling, handleAlone, maxHandlingMs } from "./deduplicator.ts";
import { CodedError, codeOf, isRejection, unavailable } from "./errors.ts";
import { readResponse } from "./stored-response.ts";
import { after, firstPauseMs, pauses, sleep, withTimeout } from "./timeout.ts";

/** State of an event in a store. */
export type EventClaim =
  /** The caller has the event: it is new, its lease ran out, or the caller had it already. */
  | { readonly state: "claimed" }
  /** Another owner has it, and its lease still runs. */
  | { readonly state: "in_progress" }
  /** It was handled. `response` is the text that `complete` was given. */
  | { readonly state: "completed"; readonly response: string };

/**
 * Stores which events were received, and their responses. Processes that share a store handle each event once.
 *
 * Each method is one atomic step, also between processes. Where one rejects, `onStoreError` of `createWebhookHandler` decides.
 * The cases of `@call-transfer/contract/webhooks` test a store of your own.
 */
export interface EventStore {
  /**
   * Maximum number of concurrent steps; 100 by default. More wait in the handler for up to `duplicateWaitMs`, which does not
   * count for `storeTimeoutMs`: a busy store is not one that is down. With a pool, its connections.
   */
  readonly maxConcurrency?: number;
  /** Milliseconds for which the store keeps responses. If present, the handler requires at least twice `toleranceMs`. */
  readonly retentionMs?: number;
  /**
   * Takes an event for an owner, or extends the owner's lease.
   *
   * @param key Names the event: 1 to 512 printable ASCII characters without spaces.
   * @param owner Names one handling of the event: a UUID.
   * @param leaseDurationMs Length of the lease from now, in milliseconds. After it, another owner may take the event.
   */
  claim(key: string, owner: string, leaseDurationMs: number): Promise<EventClaim>;
  /**
   * Stores the response and ends the lease, also if the lease ran out and nothing else happened since.
   *
   * @param response JSON text of at most 24 kB. Keep it for at least twice `toleranceMs` of the handler: a delivery stays valid
   * that long.
   * @returns False if another owner has the event or has completed it. Nothing is changed then. If this owner has completed
   * it before, its response stays, and either value is right.
   */
  complete(key: string, owner: string, response: string): Promise<boolean>;
  /** Ends the owner's lease. Does nothing if the event is another owner's, or completed. */
  release(key: string, owner: string): Promise<void>;
}

/** Ends the wait of a step: it begins, or has failed. */
type EndWait = (failed?: { readonly error: unknown }) => void;

/** Returns what runs the steps of a store: only so many at once, and each within its time, which does not include queueing. */
export function createStoreQueue(
  { maxConcurrency = 100 }: Pick<EventStore, "maxConcurrency">,
  timeoutMs: number,
  waitMs: number,
) {
  const maxQueueMs = Math.max(timeoutMs, waitMs);
  /** Steps of events that are handled go first: their leases must not run out meanwhile. */
  const [urgent, others] = [new Set<EndWait>(), new Set<EndWait>()];
  /** Running steps, each with the time until which it counts: on Workers, one of a request that was cut off never ends. */
  const running = new Map<object, number>();
  let lastSuccess = Number.NEGATIVE_INFINITY;

  const hasRoom = (): boolean => {
    const now = performance.now();
    for (const [place, untilMs] of running) if (untilMs <= now) running.delete(place);
    return running.size < maxConcurrency;
  };
  const take = (place: object): void => void running.set(place, performance.now() + 2 * timeoutMs);
  const waitForTurn = (place: object, line: Set<EndWait>): Promise<void> =>
    new Promise((resolve, reject) => {
      const end: EndWait = (failed) => {
        cancel();
        line.delete(end);
        if (failed) return reject(failed.error);
        take(place);
        resolve();
      };
      const cancel = after(maxQueueMs, () => {
        const message = `The event store was busy for ${maxQueueMs} ms. Add connections or instances.`;
        end(hasRoom() ? undefined : { error: new CodedError(message, "store_timeout") });
      });
      line.add(end);
    });

  /** Runs a step. A step that is late no longer counts as running. */
  return async <Result>(step: () => Promise<Result>, isUrgent: boolean): Promise<Result> => {
    const place = {};
    if (hasRoom()) take(place);
    else await waitForTurn(place, isUrgent ? urgent : others);
    const from = performance.now();
    try {
      const result = await withTimeout(step, timeoutMs, "The event store", "store_timeout");
      lastSuccess = performance.now();
      return result;
    } catch (error) {
      // If nothing has worked meanwhile, the store is down, and those that wait need not find that out one after the other. A
      // step that took far longer than it may says only that this process was stopped, or is too busy.
      const parts = (performance.now() - from) / timeoutMs;
      if (parts >= 0.5 && parts < 1.5 && lastSuccess < from) for (const end of [...urgent, ...others]) end({ error });
      throw error;
    } finally {
      running.delete(place);
      const next = urgent.values().next().value ?? others.values().next().value;
      if (hasRoom()) next?.();
    }
  };
}

type RunStep = ReturnType<typeof createStoreQueue>;

/** Settings of the events in a store. The options of `createWebhookHandler` describe the fields. */
export interface StoreSettings {
  readonly store: EventStore;
  readonly onStoreError: "handle" | "reject";
  readonly leaseDurationMs: number;
  readonly duplicateWaitMs: number;
  readonly storeTimeoutMs: number;
}

const states: readonly unknown[] = ["claimed", "in_progress", "completed"];

/** The steps of one handling of an event, as the owner in a store. */
function createOwner(key: string, owner: string, settings: StoreSettings, run: RunStep) {
  const { store, leaseDurationMs, storeTimeoutMs } = settings;
  /** Whether the store was asked, has answered, and need not give the event any more. */
  let [isAsked, hasAnswered, isGivenUp] = [false, false, false];

  const claimOnce = async (isUrgent: boolean): Promise<EventClaim> => {
    const claim = await run(async () => {
      isAsked = true;
      const given = await store.claim(key, owner, leaseDurationMs);
      // It comes late, and nobody waits for it any more.
      if (isGivenUp && given?.state === "claimed") await store.release(key, owner);
      return given;
    }, isUrgent);
    if (!states.includes(claim?.state))
      throw new TypeError(`claim() of the event store must return a state of ${states.join(", ")}.`);
    hasAnswered = true;
    return claim;
  };

  const claim = async (isUrgent = false): Promise<EventClaim> => {
    const from = performance.now();
    const given = await claimOnce(isUrgent);
    // After a stall, a lease that was given before it may be another owner's by now.
    const isOver = given.state === "claimed" && performance.now() - from >= leaseDurationMs;
    return isOver ? claimOnce(true) : given;
  };

  return {
    claim,
    /** Claims until the event is this owner's or completed, at least once, for so many milliseconds. */
    async claimWhenFree(waitMs: number): Promise<EventClaim> {
      let failure: unknown;
      let waited = 0;
      for (const pause of pauses()) {
        const from = performance.now();
        await sleep(Math.max(0, Math.min(pause, waitMs - waited)));
        const given = await claim().catch((error: unknown) => {
          failure = error;
        });
        if (given !== undefined && given.state !== "in_progress") return given;
        waited += Math.max(performance.now() - from, pause);
        if (waited >= waitMs) break;
      }
      throw unavailable("duplicate_timeout", failure);
    },
    /**
     * Stores the response. After an error it tries again: once at least, because some runtimes stop after the response, and for
     * `storeTimeoutMs` unless the store failed from the start.
     */
    async complete(response: string): Promise<boolean> {
      const until = performance.now() + (hasAnswered ? storeTimeoutMs : 0);
      for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
        try {
          return await run(() => store.complete(key, owner, response), true);
        } catch (error) {
          if (pauseMs > firstPauseMs && performance.now() + pauseMs > until) throw error;
          await sleep(pauseMs);
        }
      }
    },
    /** Ends the lease. A claim that is executed later is given back. */
    async release(): Promise<void> {
      isGivenUp = true;
      if (isAsked) await run(() => store.release(key, owner), true);
    },
    /** Extends the lease until `end` is called, or another owner has the event. `end` waits for extensions under way. */
    keepLease(): { end(): Promise<unknown> } {
      const intervalMs = leaseDurationMs / 3;
      let extensions: Promise<unknown> = Promise.resolve();
      let heldMs = 0;
      const timer = setInterval(() => {
        heldMs += intervalMs;
        // A handling that never ends must not keep an event from other processes forever.
        if (heldMs > maxHandlingMs) return clearInterval(timer);
        const extension = claim(true).then(
          ({ state }) => {
            if (state !== "claimed") clearInterval(timer);
          },
          // The next one may succeed, and completing the event shows whether the lease was lost.
          () => {},
        );
        // A slow store may have several under way.
        extensions = Promise.all([extensions, extension]);
      }, intervalMs);
      return {
        end() {
          clearInterval(timer);
          return extensions;
        },
      };
    },
  };
}

type Owner = ReturnType<typeof createOwner>;

/** How often a response is offered again to a store that rejects it, but gives the event to no other owner. */
const completeTries = 5;

/** Coordinates processes over a store. */
export function createStoreCoordinator(settings: StoreSettings) {
  const { store, onStoreError, duplicateWaitMs } = settings;
  const run = createStoreQueue(store, settings.storeTimeoutMs, duplicateWaitMs);

  /** The response to an event that is handled already; undefined if this delivery must be handled. */
  const find = async (event: Owner, { leftMs, report }: Handling<undefined>): Promise<Handled | undefined> => {
    try {
      const first = await event.claim();
      const claim = first.state === "in_progress" ? await event.claimWhenFree(leftMs()) : first;
      if (claim.state !== "completed") return undefined;
      return { response: readResponse(claim.response), stored: claim.response, deduplicated: true };
    } catch (error) {
      const code = codeOf(error, "store_failed");
      if (!isRejection(error) && onStoreError === "handle") {
        report(error, code);
        return undefined;
      }
      // A lease that the store may have given, or may give later, also runs out by itself.
      event.release().catch(() => {});
      throw isRejection(error) ? error : unavailable(code, error);
    }
  };

  /** Stores the response. Returns another one if another owner completed the event before. */
  const complete = async (event: Owner, stored: string, { key, report }: Handling<undefined>): Promise<string> => {
    for (let triesLeft = completeTries; !(await event.complete(stored)); triesLeft -= 1) {
      if (triesLeft === 0) throw new TypeError("complete() of the event store must return true.");
      const claim = await event.claimWhenFree(duplicateWaitMs);
      // Otherwise the other owner failed, so this response counts.
      if (claim.state !== "completed") continue;
      // A step that failed may have stored it.
      if (claim.response === stored) break;
      const reason = "its lease ran out before it was extended, or the event store failed";
      const message = `The event ${key} was handled twice: ${reason}. The response stored first was sent.`;
      report(new CodedError(message, "handled_twice"), "handled_twice");
      return claim.response;
    }
    return stored;
  };

  const coordinate: Coordinate<undefined> = async (handling) => {
    const { key, owner, report } = handling;
    const event = createOwner(key, owner, settings, run);
    const found = await find(event, handling);
    if (found) return found;
    const lease = event.keepLease();
    let handled: Handled | undefined;
    try {
      handled = await handleAlone(handling);
    } finally {
      if (handled?.stored === undefined) {
        await lease.end();
        await event.release().catch((error: unknown) => {
          report(error, codeOf(error, "store_failed"));
        });
      }
    }
    const { stored } = handled;
    if (stored === undefined) return handled;
    try {
      const first = await complete(event, stored, handling);
      return first === stored ? handled : { response: readResponse(first), stored: first, deduplicated: false };
    } catch (error) {
      if (isRejection(error)) throw error;
      // It was handled, so its own response is true. Duplicates in this process get it, too.
      report(error, codeOf(error, "store_failed"));
      return handled;
    } finally {
      void lease.end();
    }
  };

  /** Takes and gives back an event of its own. Rejects if the store fails. */
  const check = async (): Promise<void> => {
    const event = createOwner(`check:${crypto.randomUUID()}`, crypto.randomUUID(), settings, run);
    try {
      await event.claim(true);
    } finally {
      await event.release();
    }
  };

  return { coordinate, check };
}
