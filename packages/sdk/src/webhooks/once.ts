// Handles each event once and gives every copy the same answer, also across processes.
import { answerOf, responseOf } from "./answer.ts";
import type { EventClaim, EventStore } from "./event-store.ts";
import { inTime, sleep } from "./in-time.ts";
import { Refusal } from "./refusal.ts";

/** How to handle events once. The options of `createWebhookHandler` describe the fields. */
export interface OnceSettings {
  readonly store: EventStore;
  readonly duplicates: "answer" | "refuse";
  readonly onStoreError: "handle" | "refuse";
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly keepMs: number;
  readonly storeTimeoutMs: number;
}

type Report = (error: unknown) => void;

/** How long a lease is extended. A handling that never ends must not keep an event from other processes forever. */
const longestHandlingMs = 60_000;

const [firstPollMs, longestPollMs] = [15, 200];

/** How often an answer is offered again to a store that refuses it, but gives the event to no other owner. */
const completeTries = 5;

const states: readonly unknown[] = ["mine", "busy", "done"];

const unavailable = (cause?: unknown): Refusal =>
  new Refusal(503, "The webhook cannot be handled now. Send it again.", { "retry-after": "1" }, cause);

/** Handles an event, or waits for its answer. Rejections and 5xx are not stored, so that a later copy is handled. */
export async function handleOnce(key: string, settings: OnceSettings, handle: () => Promise<Response>, report: Report) {
  const event = new OwnedEvent(key, settings);
  let stored: Response | undefined;
  try {
    stored = await storedAnswer(event, settings);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (settings.onStoreError === "refuse") throw unavailable(error);
    report(error);
  }
  return stored ?? (await handleAndStore(event, handle, report));
}

/** The answer to an event that is handled already; undefined if this copy must be handled. */
async function storedAnswer(event: OwnedEvent, { duplicates }: OnceSettings): Promise<Response | undefined> {
  const first = await event.claim();
  if (first.state === "mine") return undefined;
  if (duplicates === "refuse") throw new Refusal(409, "This webhook was received before.");
  const claim = first.state === "busy" ? await event.claimWhenFree() : first;
  return claim.state === "done" ? responseOf(claim.answer) : undefined;
}

async function handleAndStore(event: OwnedEvent, handle: () => Promise<Response>, report: Report): Promise<Response> {
  const lease = event.keepLease();
  const release = async (): Promise<void> => {
    await lease.end();
    // The report is not awaited: the answer must not wait for onError.
    await event.release().catch((error: unknown) => void report(error));
  };
  let response: Response;
  let answer: string | undefined;
  try {
    response = await handle();
    if (response.status < 500) answer = await answerOf(response, event.owner);
  } finally {
    if (answer === undefined) await release();
  }
  if (answer === undefined) return response;
  try {
    return (await storeOrFind(event, answer, report)) ?? response;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // It was handled, so its own answer is true.
    report(error);
    return response;
  } finally {
    void lease.end();
  }
}

/** Stores the answer. Returns another one if another owner completed the event before. */
async function storeOrFind(event: OwnedEvent, answer: string, report: Report): Promise<Response | undefined> {
  for (let triesLeft = completeTries; !(await event.complete(answer)); triesLeft -= 1) {
    if (triesLeft === 0) throw new TypeError("complete() of the event store must return true.");
    const claim = await event.claimWhenFree();
    // Otherwise the other owner failed, so this answer counts.
    if (claim.state === "done") {
      // A step that failed may have stored it.
      if (claim.answer === answer) return undefined;
      const reason = "its lease ran out before it was extended, or the event store failed";
      report(new Error(`The event ${event.key} was handled twice: ${reason}. The answer stored first was sent.`));
      return responseOf(claim.answer);
    }
  }
  return undefined;
}

/** One handling of an event, as the owner in a store. Every step takes at most `storeTimeoutMs`. */
class OwnedEvent {
  readonly key: string;
  readonly owner = crypto.randomUUID();
  readonly #settings: OnceSettings;
  /** Whether the store answered a claim. */
  #isClaimed = false;

  constructor(key: string, settings: OnceSettings) {
    this.key = key;
    this.#settings = settings;
  }

  async claim(): Promise<EventClaim> {
    const from = performance.now();
    const claim = await this.#claimOnce();
    // After a stall, a lease that was given before it may be another owner's by now.
    const isOver = claim.state === "mine" && performance.now() - from >= this.#settings.leaseMs;
    return isOver ? this.#claimOnce() : claim;
  }

  async #claimOnce(): Promise<EventClaim> {
    const { store, leaseMs } = this.#settings;
    const claim = await this.#inTime(() => store.claim(this.key, this.owner, leaseMs));
    if (states.includes(claim?.state)) {
      this.#isClaimed = true;
      return claim;
    }
    throw new TypeError(`claim() of the event store must return a state of ${states.join(", ")}.`);
  }

  /** Stores the answer. After an error it tries again for `storeTimeoutMs`, unless the store failed from the start. */
  async complete(answer: string): Promise<boolean> {
    const { store, keepMs, storeTimeoutMs } = this.#settings;
    const until = performance.now() + (this.#isClaimed ? storeTimeoutMs : 0);
    for (let pauseMs = firstPollMs; ; pauseMs *= 2) {
      try {
        return await this.#inTime(() => store.complete(this.key, this.owner, answer, keepMs));
      } catch (error) {
        if (performance.now() + pauseMs > until) throw error;
        await sleep(pauseMs);
      }
    }
  }

  release(): Promise<void> {
    return this.#inTime(() => this.#settings.store.release(this.key, this.owner));
  }

  /** Claims until the event is this owner's or done, at least once. After `waitMs` it throws a `Refusal`. */
  async claimWhenFree(): Promise<EventClaim> {
    const { waitMs } = this.#settings;
    let failure: unknown;
    let waited = 0;
    for (let pause = firstPollMs; ; pause = Math.min(pause * 1.5, longestPollMs)) {
      const from = performance.now();
      await sleep(Math.min(pause, waitMs - waited));
      const claim = await this.claim().catch((error: unknown) => {
        failure = error;
      });
      if (claim !== undefined && claim.state !== "busy") return claim;
      waited += Math.max(performance.now() - from, pause);
      if (waited >= waitMs) throw unavailable(failure);
    }
  }

  /** Extends the lease until `end` is called, or another owner has the event. `end` waits for extensions under way. */
  keepLease(): { end(): Promise<unknown> } {
    const intervalMs = this.#settings.leaseMs / 3;
    let extensions: Promise<unknown> = Promise.resolve();
    let heldMs = 0;
    const timer = setInterval(() => {
      heldMs += intervalMs;
      if (heldMs > longestHandlingMs) return clearInterval(timer);
      const extension = this.claim().then(
        ({ state }) => {
          if (state !== "mine") clearInterval(timer);
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
  }

  #inTime<Result>(step: () => Promise<Result>): Promise<Result> {
    return inTime(step, this.#settings.storeTimeoutMs, "The event store");
  }
}
