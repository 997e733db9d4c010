// One handling of an event, as the owner in a store.
import { CodedError } from "./codes.ts";
import type { EventClaim, EventStore } from "./event-store.ts";
import { sleep } from "./in-time.ts";
import type { StoreSteps } from "./store-steps.ts";

/** The settings of an owner. The options of `createWebhookHandler` describe the fields. */
export interface OwnerSettings {
  readonly store: EventStore;
  readonly leaseMs: number;
  readonly keepMs: number;
  readonly storeTimeoutMs: number;
}

/** How long a lease is extended. A handling that never ends must not keep an event from other processes forever. */
export const longestHandlingMs = 60_000;

const [firstPollMs, longestPollMs] = [15, 200];

const states: readonly unknown[] = ["mine", "busy", "done"];

export class OwnedEvent {
  readonly key: string;
  readonly owner = crypto.randomUUID();
  readonly #settings: OwnerSettings;
  readonly #steps: StoreSteps;
  /** Whether the store answered a claim. */
  #isClaimed = false;
  /** Whether a claim failed, which the store may execute later. */
  #mayBeClaimed = false;
  #isGivenUp = false;

  constructor(key: string, settings: OwnerSettings, steps: StoreSteps) {
    this.key = key;
    this.#settings = settings;
    this.#steps = steps;
  }

  /** Whether a lease may be left in the store. */
  get mayHoldLease(): boolean {
    return this.#isClaimed || this.#mayBeClaimed;
  }

  async claim(isUrgent = false): Promise<EventClaim> {
    const from = performance.now();
    const claim = await this.#claimOnce(isUrgent);
    // After a stall, a lease that was given before it may be another owner's by now.
    const isOver = claim.state === "mine" && performance.now() - from >= this.#settings.leaseMs;
    return isOver ? this.#claimOnce(true) : claim;
  }

  async #claimOnce(isUrgent: boolean): Promise<EventClaim> {
    const { store, leaseMs } = this.#settings;
    let hasBegun = false;
    try {
      const claim = await this.#steps.run(async () => {
        hasBegun = true;
        const given = await store.claim(this.key, this.owner, leaseMs);
        // It comes late, and nobody waits for it any more.
        if (this.#isGivenUp && given?.state === "mine") await store.release(this.key, this.owner);
        return given;
      }, isUrgent);
      if (!states.includes(claim?.state)) {
        const message = `claim() of the event store must return a state of ${states.join(", ")}.`;
        throw new TypeError(message);
      }
      this.#isClaimed = true;
      return claim;
    } catch (error) {
      this.#mayBeClaimed ||= hasBegun;
      throw error;
    }
  }

  /** Stores the answer. */
  completeOnce(answer: string): Promise<boolean> {
    const { store, keepMs } = this.#settings;
    return this.#steps.run(() => store.complete(this.key, this.owner, answer, keepMs), true);
  }

  /**
   * Stores the answer. After an error it tries again: once at least, because some runtimes stop after the answer, and for
   * `storeTimeoutMs` unless the store failed from the start.
   */
  async complete(answer: string): Promise<boolean> {
    const until = performance.now() + (this.#isClaimed ? this.#settings.storeTimeoutMs : 0);
    for (let pauseMs = firstPollMs; ; pauseMs *= 2) {
      try {
        return await this.completeOnce(answer);
      } catch (error) {
        if (pauseMs > firstPollMs && performance.now() + pauseMs > until) throw error;
        await sleep(pauseMs);
      }
    }
  }

  /** Ends the lease. A claim that is executed later is given back. */
  release(): Promise<void> {
    this.#isGivenUp = true;
    return this.#steps.run(() => this.#settings.store.release(this.key, this.owner), true);
  }

  /** Claims until the event is this owner's or done, at least once, for so long. Then it throws. */
  async claimWhenFree(waitMs: number): Promise<EventClaim> {
    let failure: unknown;
    let waited = 0;
    for (let pause = firstPollMs; ; pause = Math.min(pause * 1.5, longestPollMs)) {
      const from = performance.now();
      await sleep(Math.max(0, Math.min(pause, waitMs - waited)));
      const claim = await this.claim().catch((error: unknown) => {
        failure = error;
      });
      if (claim !== undefined && claim.state !== "busy") return claim;
      waited += Math.max(performance.now() - from, pause);
      if (waited >= waitMs) throw new CodedError("Another copy is still being handled.", "busy", failure);
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
      const extension = this.claim(true).then(
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
}
