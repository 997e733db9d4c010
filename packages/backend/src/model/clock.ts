import { InputError } from "./input-error.ts";
import { type TimerPurpose, TimerQueue, type TimerSelector, type TimerTask } from "./timer-queue.ts";
import { TrackedWork } from "./tracked-work.ts";

/** The source of a flowing clock's time; tests inject their own. */
export interface WallClock {
  now(): number;
  /** Runs `task` once after `ms`. Returns a function that cancels it. */
  after(ms: number, task: () => void): () => void;
}

export type ClockMode = "frozen" | "flowing";
/** A move of the clock: `by` milliseconds, `to` a time in milliseconds or as an ISO 8601 text, or to the next timer. */
export type Step = { readonly by: number } | { readonly to: number | string } | { readonly nextTimer: true };
/** The one source of time. Timers fire in the order of their times; those of one time in the order of scheduling. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The time as an ISO 8601 timestamp in UTC. */
  iso(): string;
  readonly mode: ClockMode;
  /** The number of waiting timers. */
  readonly pending: number;
  /** Sets time or mode without running timers. Overdue timers run before the next request or step. */
  set(setting: { readonly now?: number | string; readonly mode?: ClockMode }): void;
  /** Moves time forward and resolves when everything due has happened, in order. Throws InputError on a step back. */
  advance(step: Step): Promise<void>;
  /** Resolves when the clock has moved forward by `ms`. For tracked work only; `id` names it in the list of timers. */
  sleep(ms: number, id?: string): Promise<void>;
  /** Makes `advance` wait, before each timer, until the work has settled or sleeps on this clock. */
  track(work: Promise<unknown>): void;
  /** Runs `task` when the clock reaches `at` (milliseconds). */
  schedule(at: number, task: TimerTask, purpose?: TimerPurpose): void;
  /** Drops the timers about an id; without a kind or an index, those of every kind or index. */
  cancel(selector: TimerSelector): void;
  /** The waiting timers that have a purpose, in the order in which they will fire; `at` is in milliseconds. */
  timers(): readonly (TimerPurpose & { readonly at: number })[];
  /** Runs the timers that are due by now. */
  runDue(): Promise<void>;
  /** Drops every timer and every step in progress, wakes every sleeper, and goes back to the start. */
  reset(): void;
}

/** The kind of the timer that ends a sleep. Snapshots leave it out: they cannot hold the work that continues. */
export const sleepEnds = "sleep.ends";

// setTimeout overflows beyond this and would fire at once.
const longestWait = 2 ** 31 - 1;

/** The real time. */
export const systemClock: WallClock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/** Milliseconds since the epoch. Beyond this, a time plus a duration might no longer fit a timestamp. */
export const latestTime = Date.parse("9999-01-01T00:00:00Z");

/** Reads a time given as milliseconds, a Date or an ISO 8601 text. Throws InputError that names `field`. */
export function parseTime(field: string, time: number | string | Date): number {
  const at = typeof time === "number" ? time : new Date(time).getTime();
  if (!Number.isFinite(at) || Math.abs(at) > latestTime) throw new InputError(field, "not a time before the year 9999");
  return at;
}

/**
 * Creates a clock. Frozen and flowing differ only in the source of `now`. Without a `start` (milliseconds) it starts, also
 * after a reset, at the wall clock's time.
 */
export function createClock(
  start: number | undefined,
  startMode: ClockMode = "frozen",
  wall: WallClock = systemClock,
): Clock {
  return new QueueClock(start, startMode, wall);
}

// Public methods are fields with arrow functions, so that callers may pass them on, such as `now: clock.now`.
class QueueClock implements Clock {
  readonly #start: number | undefined;
  readonly #startMode: ClockMode;
  readonly #wall: WallClock;
  readonly #timers = new TimerQueue();
  readonly #work = new TrackedWork();
  #mode: ClockMode;
  /** The time itself while frozen; the distance from the wall clock while flowing. */
  #base: number;
  // Many requests fall into one millisecond, and each reads the timestamp more than once.
  #latestIso = { at: Number.NaN, iso: "" };
  #disarm = (): void => {};
  #isFiring = false;
  /** Replaced at each reset, which ends the steps that began before. */
  #era = {};
  /** Settles when the latest step is over: steps run one after the other. */
  #steps: Promise<void> = Promise.resolve();

  constructor(start: number | undefined, startMode: ClockMode, wall: WallClock) {
    this.#start = start;
    this.#startMode = startMode;
    this.#wall = wall;
    this.#mode = startMode;
    this.#base = this.#firstBase();
  }

  readonly now = (): number => {
    return this.#mode === "frozen" ? this.#base : Math.floor(this.#base + this.#wall.now());
  };

  readonly iso = (): string => {
    const at = this.now();
    if (at !== this.#latestIso.at) this.#latestIso = { at, iso: new Date(at).toISOString() };
    return this.#latestIso.iso;
  };

  get mode(): ClockMode {
    return this.#mode;
  }

  get pending(): number {
    return this.#timers.size;
  }

  readonly set = (setting: { readonly now?: number | string; readonly mode?: ClockMode }): void => {
    const at = setting.now === undefined ? this.now() : parseTime("now", setting.now);
    this.#mode = setting.mode ?? this.#mode;
    this.#moveTo(at);
    this.#arm();
  };

  readonly advance = (step: Step): Promise<void> => {
    const era = this.#era;
    return this.#afterOtherSteps(async () => {
      if (era !== this.#era) return;
      const at = this.#target(step);
      await this.#fire(
        () => at,
        () => this.#work.quiet(),
      );
      if (era === this.#era && at > this.now()) this.#moveTo(at);
      this.#arm();
    });
  };

  readonly sleep = (ms: number, id = ""): Promise<void> => {
    const { woken, wake } = this.#work.sleep();
    const end = (): Promise<void> => {
      wake();
      // One turn of the event loop lets the woken work continue before the next timer fires.
      return new Promise((resume) => setTimeout(resume, 0));
    };
    this.schedule(this.now() + ms, end, { kind: sleepEnds, id });
    return woken;
  };

  readonly track = (work: Promise<unknown>): void => {
    this.#work.track(work);
  };

  readonly schedule = (at: number, task: TimerTask, purpose?: TimerPurpose): void => {
    const timer = { at, task, purpose };
    this.#timers.add(timer);
    if (this.#timers.next === timer) this.#arm();
  };

  readonly cancel = (selector: TimerSelector): void => {
    this.#timers.cancel(selector);
    this.#arm();
  };

  readonly timers = (): readonly (TimerPurpose & { readonly at: number })[] => {
    return this.#timers.list();
  };

  readonly runDue = async (): Promise<void> => {
    // A request that a timer's task sends must not wait for that timer.
    if (this.#isFiring || (this.#timers.next?.at ?? Number.POSITIVE_INFINITY) > this.now()) return;
    await this.#afterOtherSteps(() => this.#fire(() => this.now()));
  };

  readonly reset = (): void => {
    this.#era = {};
    this.#timers.clear();
    this.#work.clear();
    this.#mode = this.#startMode;
    this.#base = this.#firstBase();
    this.#arm();
  };

  #firstBase(): number {
    const from = this.#start ?? this.#wall.now();
    return this.#mode === "frozen" ? from : from - this.#wall.now();
  }

  #moveTo(at: number): void {
    this.#base = this.#mode === "frozen" ? at : at - this.#wall.now();
  }

  /** The time that a step leads to. Throws InputError on a step back. */
  #target(step: Step): number {
    if ("nextTimer" in step) return Math.max(this.#timers.next?.at ?? this.now(), this.now());
    const at = "by" in step ? parseTime("by", this.now() + parseTime("by", step.by)) : parseTime("to", step.to);
    if (at < this.now()) throw new InputError("by" in step ? "by" : "to", "time moves forward only");
    return at;
  }

  /** Makes the wall clock run the next timer; only a flowing clock does. */
  #arm(): void {
    this.#disarm();
    const { next } = this.#timers;
    if (this.#mode === "frozen" || next === undefined) return;
    const wait = Math.min(Math.max(next.at - this.now(), 0), longestWait);
    this.#disarm = this.#wall.after(wait, () => {
      void this.#afterOtherSteps(() => this.#fire(() => this.now()));
    });
  }

  #afterOtherSteps(step: () => Promise<void>): Promise<void> {
    const done = this.#steps.then(step);
    this.#steps = done.catch(() => {});
    return done;
  }

  /** Runs the timers due by `until` one after the other, each after `beforeEach`. */
  async #fire(until: () => number, beforeEach?: () => Promise<void>): Promise<void> {
    this.#isFiring = true;
    const era = this.#era;
    try {
      for (;;) {
        await beforeEach?.();
        const { next } = this.#timers;
        if (era !== this.#era || next === undefined || next.at > until()) break;
        this.#timers.removeNext();
        if (next.at > this.now()) this.#moveTo(next.at);
        await next.task(next.at);
      }
    } finally {
      this.#isFiring = false;
      this.#arm();
    }
  }
}
