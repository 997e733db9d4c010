// An event that one copy in this process has in hand, while others wait for what becomes of it.
import type { Refusal } from "./refusal.ts";

/** What became of a handling. Without both, the next copy is handled. */
export interface End {
  readonly answer?: string;
  readonly refusal?: Refusal;
}

/** How long a copy is in hand at least between two extensions of its lease. */
const leastMs = 10_000;

const pollMs = 200;

export class InHand {
  #end: End | undefined;
  #settle: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });
  readonly #forMs: number;
  #untilMs = 0;

  constructor(leaseMs: number) {
    this.#forMs = Math.max(leastMs, leaseMs);
    this.extend();
  }

  /** False if nobody extends it: the process has stalled, or its runtime has ended the request. */
  get isAlive(): boolean {
    return performance.now() < this.#untilMs;
  }

  extend(): void {
    this.#untilMs = performance.now() + this.#forMs;
  }

  /** The first end counts. */
  share(end: End): void {
    this.#end ??= end;
    this.#settle();
  }

  /** Returns the end, or undefined after so long. */
  async wait(leftMs: number): Promise<End | undefined> {
    const until = performance.now() + leftMs;
    for (let left = leftMs; !this.#end && left > 0; left = until - performance.now()) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      // On Workers, a request is not always woken by another one.
      const pause = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.min(pollMs, left));
      });
      await Promise.race([this.#ended, pause]);
      clearTimeout(timer);
    }
    return this.#end;
  }
}
