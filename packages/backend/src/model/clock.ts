import { InputError } from "../utils/input-error.ts";
import { clearTimeout, letProcessEnd, realNow, setTimeout } from "../utils/real-time.ts";
import { isObject } from "../utils/values.ts";
import type { SetTimer, TimerPurpose, TimerSelector, TimerTask, TimerWatch } from "./timer-queue.ts";

/** The source of a running clock's time; tests inject their own. */
export interface WallClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs `task` once after `ms`, or up to a few milliseconds earlier. Returns a function that cancels it. With `isIdle`, the process may end before.
   */
  after(ms: number, task: () => void, isIdle?: boolean): () => void;
}

/** Whether a clock moves only on request (`frozen`) or follows the wall clock (`running`). */
export type ClockMode = "frozen" | "running";
/** What to set on a clock; what is absent stays. */
export interface ClockSetting {
  /** Milliseconds since the epoch, or an ISO 8601 text. */
  readonly now?: number | string;
  readonly mode?: ClockMode;
  /** How many seconds pass in one second of real time, while the clock runs. */
  readonly rate?: number;
}
/** A move of the clock: `by` milliseconds, `to` a time in milliseconds or as an ISO 8601 text, or to the next timer. */
export type Step = { readonly by: number } | { readonly to: number | string } | { readonly nextTimer: true };
/** A backend's clock, as tests see it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The time as an ISO 8601 timestamp in UTC. */
  iso(): string;
  /** Whether the clock is frozen or runs. */
  readonly mode: ClockMode;
  /** How many seconds pass in one second of real time, while the clock runs. */
  readonly rate: number;
  /**
   * The number of waiting timers.
   *
   * @internal
   */
  readonly pendingTimers: number;
  /**
   * Sets time, mode or rate without running timers. Overdue timers run before the next request or step. Throws InputError
   * for a rate that is not above 0 and up to 10,000.
   */
  set(setting: ClockSetting): void;
  /** Moves time forward and resolves when everything due has happened, in order. Throws InputError on a step back. */
  advance(step: Step): Promise<void>;
  /** Resolves when the clock has moved forward by `ms`. For receivers of webhooks only; `id` names it in the list of timers. */
  sleep(ms: number, id?: string): Promise<void>;
  /**
   * For the SDK, as its option `clock`. What a client waits before a retry: a frozen one moves forward by `ms` at once, a running one waits.
   * Ends no earlier. Rejects with InputError for a negative wait, and for one beyond the year 9998.
   */
  wait(ms: number): Promise<void>;
  /**
   * Runs the timers that are due by now.
   *
   * @internal
   */
  runDue(): Promise<void>;
}

/** The one source of time. Timers fire in the order of their times; those of one time in the order of scheduling. */
export interface BackendClock extends Clock {
  /**
   * Makes `advance` wait, before each timer, until the work has settled or sleeps on this clock. A frozen clock then runs the
   * timers that are due.
   */
  track(work: Promise<unknown>): void;
  /** Runs `task` when the clock reaches `at` (milliseconds). */
  schedule(at: number, task: TimerTask, purpose?: TimerPurpose): void;
  /**
   * Sets the clock's one alarm in place of the one before; without a time, removes it. It runs like a timer, after those of
   * its time, but is no step of `nextTimer`, and a running clock keeps no process alive for it.
   */
  setAlarm(at: number | undefined, task: TimerTask): void;
  /** Whether {@link runDue} has something to run. */
  readonly isDue: boolean;
  /** Drops the timers about an id; without a kind or an index, those of every kind or index. */
  cancel(selector: TimerSelector): void;
  /** The waiting timers that have a purpose, in the order in which they will fire. */
  timers(): readonly SetTimer[];
  /** Drops every timer and every step in progress, wakes every sleeper, and goes back to the start. */
  reset(): void;
}

/** How a virtual clock starts, and who hears of it. */
export interface ClockOptions {
  readonly mode?: ClockMode | undefined;
  /** 1 by default. */
  readonly rate?: number | undefined;
  readonly wall?: WallClock | undefined;
  /** Hear of timers. */
  readonly watches?: readonly TimerWatch[];
  /** Runs after time, mode or rate was set, or a step moved the time; `by` is the step in milliseconds. */
  readonly changed?: ((by?: number) => void) | undefined;
  /** Runs when what a store keeps of the clock has changed. */
  readonly moved?: (() => void) | undefined;
}

/** Where a clock stands, in a form from which it can run on later, as if it had never stopped. */
export interface KeptClock {
  readonly mode: ClockMode;
  readonly rate: number;
  /** The time when it was last set or moved, and the real time then, in milliseconds. */
  readonly at: number;
  readonly wallAt: number;
}

/** A clock that a store can keep. */
export interface KeepableClock extends BackendClock {
  keep(): KeptClock;
  /**
   * Stands where a clock stood, and runs on from there: a running clock has also moved since. Its timers begin to run after
   * `restMs` of real time.
   */
  resume(kept: KeptClock, restMs?: number): void;
}

/** The highest rate of a running clock. */
const maxRate = 10_000;

/** The real time. */
export const systemClock: WallClock = {
  now: realNow,
  after(ms, task, isIdle = false) {
    const timer = setTimeout(task, ms);
    if (isIdle) letProcessEnd(timer);
    return () => clearTimeout(timer);
  },
};

/** The longest wait of `setTimeout`, in milliseconds: a longer one would overflow and end at once. */
export const longestWait = 2 ** 31 - 1;

/** Milliseconds since the epoch. Beyond this, a time plus a duration might no longer fit a timestamp. */
export const latestTime = Date.parse("9999-01-01T00:00:00Z");

/** Reads a time given as milliseconds, a Date or an ISO 8601 text. Throws InputError that names `field`. */
export function parseTime(field: string, time: number | string | Date): number {
  const at = typeof time === "number" ? time : new Date(time).getTime();
  if (Number.isNaN(at)) throw new InputError(field, "is not a time, such as 2026-03-02T12:00:00Z");
  if (!Number.isFinite(at) || Math.abs(at) > latestTime) throw new InputError(field, "not a time before the year 9999");
  return at;
}

/** Checks how fast a clock runs. Throws InputError that names `field`. */
export function checkRate(field: string, rate: number): number {
  if (!(rate > 0 && rate <= maxRate)) throw new InputError(field, `must be a number above 0 and up to ${maxRate}`);
  return rate;
}

/** The time that a step leads to, from `now` and the time of the next timer. Throws InputError on a step back. */
export function stepTarget(step: Step, now: number, nextTimer = now): number {
  checkStep(step);
  if ("nextTimer" in step) return Math.max(nextTimer, now);
  const at = "by" in step ? parseTime("by", now + parseTime("by", step.by)) : parseTime("to", step.to);
  if (at < now) throw new InputError("by" in step ? "by" : "to", "time moves forward only. To go back, set the clock.");
  return at;
}

/** Throws InputError unless a step has one of its forms. */
function checkStep(step: unknown): void {
  if (!isObject(step) || !("by" in step || "to" in step || "nextTimer" in step))
    throw new InputError("", "advance takes { by: milliseconds }, { to: time } or { nextTimer: true }");
  if ("by" in step && typeof step.by !== "number")
    throw new InputError("by", `must be a number of milliseconds, not ${JSON.stringify(step.by)}`);
}
