// The period in which a request may have been carried out, by the server's clock if an answer showed it. Pure functions.
import type { OutcomeWindow } from "../errors/details.ts";
import type { Moment } from "../options/clock.ts";
import type { DatedAnswer } from "../options/server-time.ts";

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
    return { from: iso(first - uncorrectedTolerance), to: iso(last + uncorrectedTolerance), byServerClock: false };
  }
  const end = Math.max(start + lasted, newest.date - between(ended, newest)[0]);
  return { from: iso(start - correctedTolerance), to: iso(end + correctedTolerance), byServerClock: true };
}

/** Whether a list that was read from some time on lacks the beginning of a window, or holds much that was before it. */
export function isOtherStart(read: string, { from }: OutcomeWindow): boolean {
  const extra = Date.parse(from) - Date.parse(read);
  return extra < 0 || extra > uncorrectedTolerance;
}
