// Runs the steps of a store: only so many at once, and each within its time, which does not include waiting for its turn.
import { CodedError } from "./codes.ts";
import type { EventStore } from "./event-store.ts";
import { after, inTime } from "./in-time.ts";

/** More would only wait inside a client, where a busy store looks like one that is down. */
const usualAtOnce = 100;

interface Waiting {
  readonly begin: () => void;
  readonly fail: (error: unknown) => void;
}

export class StoreSteps {
  readonly #atOnce: number;
  readonly #limitMs: number;
  readonly #turnLimitMs: number;
  /** Steps of events that are handled go first: their leases must not run out meanwhile. */
  readonly #urgent = new Set<Waiting>();
  readonly #others = new Set<Waiting>();
  /** Running steps, each with the time until which it counts: on Workers, one of a request that was cut off never ends. */
  readonly #running = new Map<object, number>();
  #lastSuccess = Number.NEGATIVE_INFINITY;

  constructor({ stepsAtOnce = usualAtOnce }: EventStore, limitMs: number, waitMs: number) {
    this.#atOnce = stepsAtOnce;
    this.#limitMs = limitMs;
    this.#turnLimitMs = Math.max(limitMs, waitMs);
  }

  /** Runs a step. A step that is late no longer counts as running. */
  async run<Result>(step: () => Promise<Result>, isUrgent: boolean): Promise<Result> {
    const place = {};
    if (this.#hasRoom()) this.#take(place);
    else await this.#turn(place, isUrgent ? this.#urgent : this.#others);
    const from = performance.now();
    try {
      const result = await inTime(step, this.#limitMs, "The event store", "store_timeout");
      this.#lastSuccess = performance.now();
      return result;
    } catch (error) {
      // If nothing has worked meanwhile, the store is down, and those that wait need not find that out one after the other. A
      // step that took far longer than it may says only that this process was stopped, or is too busy.
      const parts = (performance.now() - from) / this.#limitMs;
      if (parts >= 0.5 && parts < 1.5 && this.#lastSuccess < from) this.#failAll(error);
      throw error;
    } finally {
      this.#running.delete(place);
      const next = this.#urgent.values().next().value ?? this.#others.values().next().value;
      if (this.#hasRoom()) next?.begin();
    }
  }

  #hasRoom(): boolean {
    const now = performance.now();
    for (const [place, untilMs] of this.#running) if (untilMs <= now) this.#running.delete(place);
    return this.#running.size < this.#atOnce;
  }

  #take(place: object): void {
    this.#running.set(place, performance.now() + 2 * this.#limitMs);
  }

  #turn(place: object, line: Set<Waiting>): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (end: () => void): void => {
        cancel();
        line.delete(waiting);
        end();
      };
      const waiting: Waiting = {
        begin: () => {
          this.#take(place);
          leave(resolve);
        },
        fail: (error) => leave(() => reject(error)),
      };
      const cancel = after(this.#turnLimitMs, () => {
        if (this.#hasRoom()) return waiting.begin();
        const problem = `The event store was busy for ${this.#turnLimitMs} ms`;
        waiting.fail(new CodedError(`${problem}. Give it more connections, or more receivers.`, "store_busy"));
      });
      line.add(waiting);
    });
  }

  #failAll(error: unknown): void {
    for (const { fail } of [...this.#urgent, ...this.#others]) fail(error);
  }
}
