import { InputError } from "../errors/input-error.ts";
import {
  type Clock,
  type ClockListener,
  type ClockMode,
  type ClockSetting,
  checkRate,
  latestTime,
  parseTime,
  type Step,
  sleepEnds,
  systemClock,
  type WallClock,
} from "./clock.ts";
import {
  type Timer,
  type TimerPurpose,
  TimerQueue,
  type TimerSelector,
  type TimerTask,
  type TimerWatch,
} from "./timer-queue.ts";
import { TrackedWork } from "./tracked-work.ts";

// setTimeout overflows beyond this and would fire at once.
const longestWait = 2 ** 31 - 1;

/** How a clock starts, and who hears of it. */
export interface ClockOptions {
  readonly mode?: ClockMode | undefined;
  /** 1 by default. */
  readonly rate?: number | undefined;
  readonly wall?: WallClock | undefined;
  readonly listener?: ClockListener | undefined;
  readonly watch?: ClockWatch | undefined;
  /** Hears of timers too. */
  readonly past?: TimerWatch | undefined;
}

/** Notes what a store must keep. */
export interface ClockWatch extends TimerWatch {
  /** The clock was set, or its time or mode changed otherwise. */
  moved(): void;
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
export interface KeepableClock extends Clock {
  keep(): KeptClock;
  /**
   * Stands where a clock stood, and runs on from there: a flowing clock has also moved since. Its timers begin to run after
   * `restMs` of real time.
   */
  resume(kept: KeptClock, restMs?: number): void;
}

/**
 * Creates a clock. Frozen and flowing differ only in the source of `now`. Without a `start` (milliseconds) it starts, also
 * after a reset, at the wall clock's time.
 */
export function createClock(start: number | undefined, options: ClockOptions = {}): KeepableClock {
  return new QueueClock(start, options);
}

const noListener: ClockListener = { changed() {}, timer() {} };

// Public methods are fields with arrow functions, so that callers may pass them on, such as `now: clock.now`.
class QueueClock implements KeepableClock {
  readonly #start: number | undefined;
  readonly #startMode: ClockMode;
  readonly #startRate: number;
  readonly #wall: WallClock;
  readonly #listener: ClockListener;
  readonly #watch: ClockOptions["watch"];
  readonly #timers: TimerQueue;
  readonly #work = new TrackedWork();
  #mode: ClockMode;
  #rate: number;
  /** The time when it was last set or moved, and the wall clock's time then. While frozen, it is still that time. */
  #base: number;
  #wallBase: number;
  #alarm: Timer | undefined;
  // Many requests fall into one millisecond, and each reads the timestamp more than once.
  #latestIso = { at: Number.NaN, iso: "" };
  #disarm = (): void => {};
  #disarmAlarm = (): void => {};
  #isFiring = false;
  /** Replaced at each reset, which ends the steps that began before. */
  #era = {};
  /** Settles when the latest step is over: steps run one after the other. */
  #steps: Promise<void> = Promise.resolve();

  constructor(start: number | undefined, { mode = "frozen", rate = 1, wall, listener, watch, past }: ClockOptions) {
    this.#start = start;
    this.#startMode = mode;
    this.#startRate = checkRate("rate", rate);
    this.#wall = wall ?? systemClock;
    this.#listener = listener ?? noListener;
    this.#watch = watch;
    this.#timers = new TimerQueue([watch, past].filter((one) => one !== undefined));
    this.#mode = mode;
    this.#rate = rate;
    this.#wallBase = this.#wall.now();
    this.#base = start ?? this.#wallBase;
  }

  readonly now = (): number => {
    if (this.#mode === "frozen") return this.#base;
    return Math.min(Math.floor(this.#base + (this.#wall.now() - this.#wallBase) * this.#rate), latestTime);
  };

  readonly iso = (): string => {
    const at = this.now();
    if (at !== this.#latestIso.at) this.#latestIso = { at, iso: new Date(at).toISOString() };
    return this.#latestIso.iso;
  };

  get mode(): ClockMode {
    return this.#mode;
  }

  get rate(): number {
    return this.#rate;
  }

  get pending(): number {
    return this.#timers.size;
  }

  readonly set = ({ now, mode = this.#mode, rate = this.#rate }: ClockSetting): void => {
    checkRate("rate", rate);
    const at = now === undefined ? this.now() : parseTime("now", now);
    this.#mode = mode;
    this.#rate = rate;
    this.#moveTo(at);
    this.#arm();
    this.#listener.changed();
  };

  readonly advance = (step: Step): Promise<void> => {
    const era = this.#era;
    return this.#afterOtherSteps(async () => {
      if (era !== this.#era) return;
      const before = this.now();
      const at = this.#target(step);
      await this.#fire(
        () => at,
        () => this.#work.quiet(),
      );
      if (era !== this.#era) return;
      if (at > this.now()) this.#moveTo(at);
      this.#arm();
      if (this.now() > before) this.#listener.changed(this.now() - before);
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
    this.#runDueIfQuiet();
    return woken;
  };

  readonly track = (work: Promise<unknown>): void => {
    this.#work.track(work);
    const runDue = (): void => this.#runDueIfQuiet();
    work.then(runDue, runDue);
  };

  readonly schedule = (at: number, task: TimerTask, purpose?: TimerPurpose): void => {
    const timer = { at, task, purpose };
    this.#timers.add(timer);
    if (this.#timers.next === timer) this.#arm();
    if (purpose !== undefined) this.#listener.timer("set", at, purpose);
  };

  readonly setAlarm = (at: number | undefined, task: TimerTask): void => {
    this.#alarm = at === undefined ? undefined : { at, task, purpose: undefined };
    this.#armAlarm();
  };

  readonly cancel = (selector: TimerSelector): void => {
    const cancelled = this.#timers.cancel(selector);
    this.#arm();
    for (const { at, purpose } of cancelled) if (purpose !== undefined) this.#listener.timer("cancelled", at, purpose);
  };

  readonly timers = (): readonly (TimerPurpose & { readonly at: number })[] => {
    return this.#timers.list();
  };

  readonly runDue = async (): Promise<void> => {
    // A request that a timer's task sends must not wait for that timer.
    if (this.#isFiring || (this.#next()?.at ?? Number.POSITIVE_INFINITY) > this.now()) return;
    await this.#afterOtherSteps(() => this.#fire(() => this.now()));
  };

  readonly reset = (): void => {
    this.#era = {};
    this.#timers.clear();
    this.#alarm = undefined;
    this.#work.clear();
    this.#mode = this.#startMode;
    this.#rate = this.#startRate;
    this.#moveTo(this.#start ?? this.#wall.now());
    this.#arm();
  };

  readonly keep = (): KeptClock => {
    return { mode: this.#mode, rate: this.#rate, at: this.#base, wallAt: this.#wallBase };
  };

  readonly resume = ({ mode, rate, at, wallAt }: KeptClock, restMs = 0): void => {
    this.#mode = mode;
    this.#rate = rate;
    this.#base = at;
    // A real time that was set back meanwhile does not take this clock back.
    this.#wallBase = Math.min(wallAt, this.#wall.now());
    this.#arm(restMs);
  };

  /** No wall clock runs what work has scheduled for the present time of a frozen clock, such as the choice of a winner. */
  #runDueIfQuiet(): void {
    if (this.#mode === "frozen" && this.#work.isQuiet) void this.runDue();
  }

  #moveTo(at: number): void {
    this.#base = at;
    this.#wallBase = this.#wall.now();
    this.#watch?.moved();
  }

  /** What runs next: a timer, or the alarm if it is due before. */
  #next(): Timer | undefined {
    const { next } = this.#timers;
    return this.#alarm !== undefined && this.#alarm.at < (next?.at ?? Number.POSITIVE_INFINITY) ? this.#alarm : next;
  }

  /** The time that a step leads to. Throws InputError on a step back. */
  #target(step: Step): number {
    checkStep(step);
    if ("nextTimer" in step) return Math.max(this.#timers.next?.at ?? this.now(), this.now());
    const at = "by" in step ? parseTime("by", this.now() + parseTime("by", step.by)) : parseTime("to", step.to);
    if (at < this.now())
      throw new InputError("by" in step ? "by" : "to", "time moves forward only. To go back, set the clock.");
    return at;
  }

  /** Makes the wall clock run the next timer and the alarm; only a flowing clock does. */
  #arm(restMs = 0): void {
    this.#disarm();
    const { next } = this.#timers;
    if (this.#mode === "flowing" && next !== undefined) this.#disarm = this.#runAt(next.at, false, restMs);
    this.#armAlarm();
  }

  #armAlarm(): void {
    this.#disarmAlarm();
    if (this.#mode === "flowing" && this.#alarm !== undefined) this.#disarmAlarm = this.#runAt(this.#alarm.at, true);
  }

  #runAt(at: number, isIdle: boolean, restMs = 0): () => void {
    // Never due: the clock stands still before.
    if (at > latestTime) return () => {};
    const wait = Math.min(Math.max(Math.ceil((at - this.now()) / this.#rate), restMs, 0), longestWait);
    const run = (): void => void this.#afterOtherSteps(() => this.#fire(() => this.now()));
    return this.#wall.after(wait, run, isIdle);
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
        const next = this.#next();
        if (era !== this.#era || next === undefined || next.at > until()) break;
        if (next === this.#alarm) this.#alarm = undefined;
        else this.#timers.removeNext();
        if (next.at > this.now()) this.#moveTo(next.at);
        if (next.purpose !== undefined) this.#listener.timer("fired", next.at, next.purpose);
        await next.task(next.at);
      }
    } finally {
      this.#isFiring = false;
      this.#arm();
    }
  }
}

/** Throws InputError unless a step has one of its forms. */
function checkStep(step: unknown): void {
  if (typeof step !== "object" || step === null || !("by" in step || "to" in step || "nextTimer" in step))
    throw new InputError("", "advance takes { by: milliseconds }, { to: time } or { nextTimer: true }");
  if ("by" in step && typeof step.by !== "number")
    throw new InputError("by", `must be a number of milliseconds, not ${JSON.stringify(step.by)}`);
}
