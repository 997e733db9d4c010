// Steps of a store that failed, and are tried again in the background.
import { sleep } from "./in-time.ts";

/** A step that is tried until it holds. */
export interface LaterStep {
  /** When to give up, in milliseconds of `performance.now()`. */
  readonly untilMs: number;
  /** Returns whether it is over. Rejects if the store fails. */
  attempt(): Promise<boolean>;
  /** Called if it was given up. */
  giveUp(): void;
}

const [firstPauseMs, longestPauseMs, mostAtOnce, mostSteps] = [100, 250, 32, 10_000];

/** Tries steps again: one at a time while the store fails, and more as soon as it works. */
export class Later {
  readonly #steps = new Set<LaterStep>();
  #isWorking = false;

  add(step: LaterStep): void {
    this.#steps.add(step);
    for (const oldest of this.#steps) {
      if (this.#steps.size <= mostSteps) break;
      this.#end(oldest);
    }
    if (!this.#isWorking) void this.#work();
  }

  #end(step: LaterStep): void {
    this.#steps.delete(step);
    step.giveUp();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let [pauseMs, atOnce] = [firstPauseMs, 1]; this.#steps.size > 0; ) {
      await sleep(pauseMs, true);
      const chosen = [...this.#steps].slice(0, atOnce);
      const worked = await Promise.all(chosen.map((step) => this.#attempt(step)));
      const isWell = worked.every(Boolean);
      atOnce = isWell ? Math.min(atOnce * 2, mostAtOnce) : 1;
      pauseMs = isWell ? firstPauseMs / 10 : Math.min(pauseMs * 2, longestPauseMs);
    }
    this.#isWorking = false;
  }

  /** Returns whether the store worked. A step that is not over goes to the end of the line. */
  async #attempt(step: LaterStep): Promise<boolean> {
    if (performance.now() >= step.untilMs) this.#end(step);
    if (!this.#steps.delete(step)) return true;
    try {
      if (!(await step.attempt())) this.#steps.add(step);
      return true;
    } catch {
      this.#steps.add(step);
      return false;
    }
  }
}
