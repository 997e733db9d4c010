// The clock of a client: the caller's, or that of the runtime.
import type { Clock } from "./options.ts";

/** Timers of the clock, or of the runtime. */
export type Timers = Required<Pick<Clock, "setTimeout" | "clearTimeout">>;

/** A moment by the caller's two clocks. The first may be corrected, and the second may stand still while the machine sleeps. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds since any fixed moment. */
  readonly elapsed: number;
}

/** Looks each function up at its call: a test may replace those of the runtime later. */
export const systemClock: Clock & Timers = {
  now: () => Date.now(),
  elapsed: () => globalThis.performance?.now() ?? Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** What a clock may leave out: timers are those of the runtime then, and `elapsed` is `now`. */
export const completeClock = (clock: Clock): { readonly timers: Timers; readonly elapsed: () => number } => ({
  timers: clock.setTimeout ? (clock as Clock & Timers) : systemClock,
  elapsed: () => (clock.elapsed ? clock.elapsed() : clock.now()),
});

/** Whole milliseconds since a moment by `elapsed()`. The caller's clock may go back or fail. */
export function msSince({ elapsed }: { readonly elapsed: () => number }, from: number): number {
  try {
    return Math.max(0, Math.round(elapsed() - from));
  } catch {
    return 0;
  }
}

/** The present moment by the clocks of a client. */
export const momentOf = ({ clock, elapsed }: { readonly clock: Clock; readonly elapsed: () => number }): Moment => ({
  now: clock.now(),
  elapsed: elapsed(),
});
