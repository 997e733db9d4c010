// An event that one copy in this process has in hand, while others wait for what becomes of it.
import { sleep } from "./in-time.ts";
import type { Refusal } from "./refusal.ts";

/** What became of a handling. Without both, the next copy is handled. */
export interface End {
  readonly answer?: string;
  readonly refusal?: Refusal;
}

/** How long a copy stays in hand if nothing in this process extends that any more. */
const forMs = 10_000;

const pollMs = 1000;

export class InHand {
  #end: End | undefined;
  #settle: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });
  readonly #timer: ReturnType<typeof setInterval>;
  #untilMs = performance.now() + forMs;

  /** In hand until it has an end, or for so long. */
  constructor(longestMs: number) {
    const lastMs = performance.now() + longestMs;
    this.#timer = setInterval(() => {
      this.#untilMs = Math.min(performance.now() + forMs, lastMs);
    }, forMs / 5);
  }

  /** Whether nobody works on it any more: after the longest time, or if its runtime has ended the request with its timers. */
  async isAbandoned(): Promise<boolean> {
    const isOver = () => performance.now() >= this.#untilMs;
    // After a stall, timers that are due run before this one.
    if (isOver()) await sleep(1);
    return isOver();
  }

  /** The first end counts. */
  share(end: End): void {
    this.#end ??= end;
    clearInterval(this.#timer);
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
