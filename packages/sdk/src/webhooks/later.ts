// Steps of a store that failed, and are tried again in the background.

/** A step that is tried until it holds. */
export interface LaterStep {
  /** When to give up, in milliseconds of `performance.now()`. */
  readonly untilMs: number;
  /** Returns whether it is over. Rejects if the store fails. */
  attempt(): Promise<boolean>;
  /** Called if it was given up. */
  giveUp(): void;
}

/** Pauses grow to five seconds, so as many rounds as these take about 80 minutes. */
const [firstPauseMs, longestPauseMs, mostFailedRounds] = [100, 5000, 1000];
const [mostAtOnce, mostSteps] = [32, 10_000];

/** Tries steps again: one of them and ever less often while the store fails, and more at once as soon as it works. */
export class Later {
  readonly #steps = new Set<LaterStep>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTrying = false;
  #pauseMs = firstPauseMs;
  #atOnce = 1;
  #failedRounds = 0;

  add(step: LaterStep): void {
    this.#steps.add(step);
    const [oldest] = this.#steps;
    if (oldest && this.#steps.size > mostSteps) this.#giveUp(oldest);
    this.#plan();
  }

  /** The store has answered something else, so the next try need not wait for long. */
  wake(): void {
    if (this.#timer === undefined || this.#pauseMs <= firstPauseMs) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pauseMs = firstPauseMs;
    this.#plan();
  }

  #giveUp(step: LaterStep): void {
    this.#steps.delete(step);
    step.giveUp();
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#isTrying || this.#steps.size === 0) return;
    this.#timer = setTimeout(() => void this.#round(), this.#pauseMs);
    // It does not keep the process from ending, where a timer can say so.
    const timer: unknown = this.#timer;
    (timer as { unref?(): void }).unref?.();
  }

  async #round(): Promise<void> {
    this.#timer = undefined;
    this.#isTrying = true;
    const chosen = [...this.#steps].slice(0, this.#atOnce);
    const ended = await Promise.all(chosen.map((step) => this.#attempt(step)));
    const isWell = ended.every(Boolean);
    this.#atOnce = isWell ? Math.min(this.#atOnce * 2, mostAtOnce) : 1;
    this.#pauseMs = isWell ? firstPauseMs / 10 : Math.min(Math.max(this.#pauseMs, firstPauseMs) * 2, longestPauseMs);
    this.#failedRounds = isWell ? 0 : this.#failedRounds + 1;
    if (this.#failedRounds >= mostFailedRounds) for (const step of this.#steps) this.#giveUp(step);
    if (this.#steps.size === 0) [this.#pauseMs, this.#atOnce, this.#failedRounds] = [firstPauseMs, 1, 0];
    this.#isTrying = false;
    this.#plan();
  }

  /** Returns whether the step is over. Another one goes to the end of the line. */
  async #attempt(step: LaterStep): Promise<boolean> {
    this.#steps.delete(step);
    if (performance.now() < step.untilMs) {
      if (await step.attempt().catch(() => false)) return true;
      this.#steps.add(step);
      return false;
    }
    step.giveUp();
    return true;
  }
}
