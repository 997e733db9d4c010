// Time: the clock of a client, deadlines, what is known of the server's clock, and the window of a request whose outcome is unknown.
import type { OutcomeWindow } from "../errors/details.ts";
import { AbortError, type Failure, type FailureKind, TimeoutError } from "../errors/request-error.ts";
import type { Clock } from "./options.ts";
import { abortReason } from "./runtime.ts";

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
  monotonicNow: () => globalThis.performance?.now() ?? Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** What a clock may leave out: timers are those of the runtime then, and `monotonicNow` is `now`. */
export const completeClock = (clock: Clock): { readonly timers: Timers; readonly elapsed: () => number } => ({
  timers: clock.setTimeout ? (clock as Clock & Timers) : systemClock,
  elapsed: () => clock.monotonicNow?.() ?? clock.now(),
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

/** The `Date` of an answer, in milliseconds since 1970 by the server's clock, and when it arrived. */
export interface DatedAnswer extends Moment {
  readonly date: number;
}

/** No clock is right that shows this year. */
const latestDate = Date.UTC(2200);

/** Keeps the newest `Date` of a server, for a client and its copies. */
export class ServerTime {
  /** Undefined until an answer has a valid `Date`. */
  newest: DatedAnswer | undefined;
  #text = "";

  /** Notes the `Date` header of an answer. One that no correct clock shows is ignored. */
  note(text: string, moment: Moment): void {
    // Parsing takes as long as much of an attempt, and many answers arrive in the same second.
    const date = text === this.#text ? this.newest?.date : Date.parse(text);
    if (date === undefined || !(date >= 0 && date < latestDate)) return;
    this.#text = text;
    this.newest = { date, ...moment };
  }
}

/** Milliseconds by which an answer's `Date` may differ from the server's clock: it shows whole seconds, and an answer travels. */
const correctedTolerance = 5_000;
/** Milliseconds that a caller's own clock may be off. */
const uncorrectedTolerance = 300_000;

/** A request, and what is known of the server's clock. */
export interface WindowFacts {
  /** When the request began. */
  readonly begun: Moment;
  /** When it ended without a known outcome. */
  readonly ended: Moment;
  /** The newest answer from before it began. */
  readonly before: DatedAnswer | undefined;
  /** The newest answer of all. */
  readonly newest: DatedAnswer | undefined;
}

/** Milliseconds between two moments by both clocks, the shorter first, and never less than 0. */
function between(from: Moment, to: Moment): readonly [least: number, most: number] {
  const spans = [to.now - from.now, to.elapsed - from.elapsed];
  return [Math.max(0, Math.min(...spans)), Math.max(0, ...spans)];
}

/** Whether the server's clock went on as the caller's did. One that stands still, or is set, belongs to a test. */
function isInStep(before: DatedAnswer, after: DatedAnswer): boolean {
  const [least, most] = between(before, after);
  const passed = after.date - before.date;
  return passed >= most - correctedTolerance && passed <= least + correctedTolerance;
}

/** The server's time when the request began, or earlier: an answer from before it is a lower limit, whatever the clocks do. */
function begunAt({ begun, before, newest }: WindowFacts): number | undefined {
  const after = newest !== before ? newest : undefined;
  const early = after && after.date - between(begun, after)[1];
  if (!before) return early;
  const late = before.date + between(before, begun)[0];
  if (early === undefined) return late;
  return Math.min(early, after && isInStep(before, after) ? late : before.date);
}

const iso = (time: number): string => new Date(time).toISOString();

/** The period in which the request may have been carried out. By the caller's clock, it is five minutes wider on each side. */
export function windowOf(facts: WindowFacts): OutcomeWindow {
  const { begun, ended, newest } = facts;
  const start = begunAt(facts);
  const [, lasted] = between(begun, ended);
  if (start === undefined || !newest) {
    // A clock that was set meanwhile shows two times of the beginning, and of the end.
    const [first, last] = [Math.min(begun.now, ended.now - lasted), Math.max(ended.now, begun.now + lasted)];
    return { start: iso(first - uncorrectedTolerance), end: iso(last + uncorrectedTolerance), byServerClock: false };
  }
  const end = Math.max(start + lasted, newest.date - between(ended, newest)[0]);
  return { start: iso(start - correctedTolerance), end: iso(end + correctedTolerance), byServerClock: true };
}

/** Whether a list that was read from some time on lacks the beginning of a window, or holds much that was before it. */
export function isOtherStart(read: string, { start }: OutcomeWindow): boolean {
  const extra = Date.parse(start) - Date.parse(read);
  return extra < 0 || extra > uncorrectedTolerance;
}

/** Milliseconds by which a timer is late if the process was suspended, such as a frozen Lambda or a closed laptop. */
const lateMs = 100;
/** Milliseconds by which a timer may be early. A clock that is further back does not follow its timers. */
const earlyMs = 2;
/** Milliseconds that a late timer leaves for answers that arrived meanwhile: runtimes run timers before they read sockets. */
const graceMs = 50;

/** What waits for each signal of the caller's. It gets one listener for all: Node 20 warns of a leak after ten. */
const waiting = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly onAbort: () => void }>();

/** Calls back when a signal aborts. Returns what takes that back. */
function listen(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = new Set<() => void>();
  const onAll = () => {
    for (const one of [...callbacks]) one();
  };
  const all = waiting.get(signal) ?? { callbacks, onAbort: onAll };
  waiting.set(signal, all);
  if (all.callbacks.size === 0) signal.addEventListener("abort", all.onAbort, { once: true });
  all.callbacks.add(callback);
  return () => {
    all.callbacks.delete(callback);
    if (all.callbacks.size === 0) signal.removeEventListener("abort", all.onAbort);
  };
}

/** What has a deadline. */
interface Limited {
  readonly signal: AbortSignal | undefined;
  readonly settings: { readonly timers: Timers; readonly elapsed: () => number };
}

/**
 * Runs work until it ends, its time is up, or the caller aborts. At 0 ms it is not started. It may ignore its signal.
 * `onFailure` turns its error, or the interruption, into another result.
 */
export function withDeadline<T, Result>(
  { signal, settings: { timers, elapsed } }: Limited,
  limitMs: number,
  work: (stop: AbortController) => Promise<T>,
  onFailure: (thrown: unknown, interruption?: Failure) => Result,
): Promise<{ readonly value: T } | Result> {
  const stop = new AbortController();
  return new Promise((resolve, reject) => {
    let timer: unknown;
    let over = false;
    let unlisten: (() => void) | undefined;
    const end = (result: () => { readonly value: T } | Result) => {
      if (over) return;
      over = true;
      try {
        if (timer !== undefined) timers.clearTimeout(timer);
        unlisten?.();
      } catch {
        // The caller's clock or signal failed. The result still counts.
      }
      try {
        resolve(result());
      } catch (error) {
        reject(error);
      }
    };
    const interrupt = (kind: FailureKind, message: string, cause: unknown) =>
      end(() => {
        stop.abort(cause);
        return onFailure(undefined, { kind, message, cause });
      });
    const onAbort = () => interrupt(AbortError, "was aborted by the caller", signal?.reason);
    const onTimeout = () => {
      const message = `no complete response within ${Math.ceil(limitMs)} ms`;
      interrupt(TimeoutError, `got ${message}`, abortReason("TimeoutError", message));
    };
    const onTimer = (dueAt: number) => {
      try {
        const late = elapsed() - dueAt;
        if (late > lateMs) timer = timers.setTimeout(onTimeout, graceMs);
        else if (late < 0 && late >= -earlyMs) timer = timers.setTimeout(onTimeout, earlyMs - late);
        else onTimeout();
      } catch {
        // The caller's clock failed.
        onTimeout();
      }
    };
    unlisten = signal && listen(signal, onAbort);
    if (signal?.aborted) return onAbort();
    if (limitMs === 0) return onTimeout();
    const dueAt = elapsed() + limitMs;
    timer = timers.setTimeout(() => onTimer(dueAt), limitMs);
    work(stop).then(
      (value) => end(() => ({ value })),
      (error: unknown) => end(() => onFailure(error)),
    );
  });
}
