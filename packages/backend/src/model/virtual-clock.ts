import { setTimeout } from "../utils/real-time.ts";
import {
  type ClockMode,
  type ClockOptions,
  type ClockSetting,
  checkRate,
  type KeepableClock,
  type KeptClock,
  latestTime,
  longestWait,
  parseTime,
  type Step,
  stepTarget,
  systemClock,
  type WallClock,
} from "./clock.ts";
import { sleepEnds, type Timer, TimerQueue } from "./timer-queue.ts";

/** Work in flight. It is quiet when every part has settled or sleeps. */
class TrackedWork {
  readonly #running = new Set<Promise<unknown>>();
  readonly #sleepers = new Set<() => void>();
  #notifyChange = (): void => {};

  track(work: Promise<unknown>): void {
    const settle = (): void => {
      this.#running.delete(settled);
      this.#notifyChange();
    };
    const settled: Promise<unknown> = work.then(settle, settle);
    this.#running.add(settled);
  }

  /** Begins a sleep, which lasts until `wake` is called. */
  sleep(): { readonly woken: Promise<void>; readonly wake: () => void } {
    let resolve = (): void => {};
    const woken = new Promise<void>((settle) => {
      resolve = settle;
    });
    const wake = (): void => {
      this.#sleepers.delete(wake);
      resolve();
    };
    this.#sleepers.add(wake);
    this.#notifyChange();
    return { woken, wake };
  }

  get isQuiet(): boolean {
    return this.#running.size <= this.#sleepers.size;
  }

  async quiet(): Promise<void> {
    while (!this.isQuiet)
      await new Promise<void>((resolve) => {
        this.#notifyChange = resolve;
      });
  }

  /** Forgets all work and wakes every sleeper. */
  clear(): void {
    this.#running.clear();
    this.#notifyChange();
    for (const wake of [...this.#sleepers]) wake();
  }
}

/**
 * Creates a clock. Frozen and running differ only in the source of `now`. Without a `start` (milliseconds) it starts, also
 * after a reset, at the wall clock's time.
 */
export function createClock(start: number | undefined, options: ClockOptions = {}): KeepableClock {
  return new VirtualClock(start, options);
}

// Public methods are fields with arrow functions, so that callers may pass them on, such as `now: clock.now`.
class VirtualClock implements KeepableClock {
  readonly #start: number | undefined;
  readonly #options: ClockOptions;
  readonly #wall: WallClock;
  readonly #timers: TimerQueue;
  readonly #work = new TrackedWork();
  #mode: ClockMode;
  #rate: number;
  /** The time when it was last set or moved, and the wall clock's time then, which counts only while it flows. */
  #base: number;
  #wallBase: number;
  #alarm: Timer | undefined;
  // Many requests fall into one millisecond, and each reads the timestamp more than once.
  #latestIso = { at: Number.NaN, iso: "" };
  #disarm = (): void => {};
  #disarmAlarm = (): void => {};
  #isFiring = false;
  /** Replaced at each reset, which ends the steps that began before. */
  #generation = {};
  /** Settles when the latest step is over: steps run one after the other. */
  #steps: Promise<void> = Promise.resolve();

  constructor(start: number | undefined, options: ClockOptions) {
    const { mode = "frozen", rate = 1, wall = systemClock, watches } = options;
    this.#start = start;
    this.#options = options;
    this.#wall = wall;
    this.#timers = new TimerQueue(watches);
    this.#mode = mode;
    this.#rate = checkRate("rate", rate);
    this.#wallBase = wall.now();
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

  get pendingTimers(): number {
    return this.#timers.size;
  }

  readonly set = ({ now, mode = this.#mode, rate = this.#rate }: ClockSetting): void => {
    checkRate("rate", rate);
    const at = now === undefined ? this.now() : parseTime("now", now);
    this.#mode = mode;
    this.#rate = rate;
    this.#moveTo(at);
    this.#arm();
    this.#options.changed?.();
  };

  readonly advance = (step: Step): Promise<void> => {
    const generation = this.#generation;
    return this.#afterOtherSteps(async () => {
      if (generation !== this.#generation) return;
      const before = this.now();
      const at = stepTarget(step, before, this.#timers.next?.at);
      const quiet = (): Promise<void> | undefined => (this.#work.isQuiet ? undefined : this.#work.quiet());
      await this.#fire(() => at, quiet);
      if (generation !== this.#generation) return;
      if (at > this.now()) this.#moveTo(at);
      if (this.#mode === "running") this.#arm();
      if (this.now() > before) this.#options.changed?.(this.now() - before);
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

  readonly wait = async (ms: number): Promise<void> => {
    const at = stepTarget({ by: ms }, this.now());
    const generation = this.#generation;
    while (this.#mode === "running") {
      if (generation !== this.#generation || this.now() >= at) return;
      await new Promise<void>((end) => void this.#wall.after(this.#realMsUntil(at), end));
    }
    if (generation !== this.#generation || this.now() > at) return;
    // A step would wait for work that is tracked, perhaps for this. Without one, timers run before the next request.
    if (this.#work.isQuiet && !this.#isFiring) await this.advance({ by: at - this.now() });
    else this.set({ now: at });
  };

  readonly track = (work: Promise<unknown>): void => {
    this.#work.track(work);
    work.then(this.#runDueIfQuiet, this.#runDueIfQuiet);
  };

  readonly schedule: KeepableClock["schedule"] = (at, task, purpose) => {
    const timer = { at, task, purpose };
    this.#timers.add(timer);
    if (this.#mode === "running" && this.#timers.next === timer) this.#arm();
  };

  readonly setAlarm: KeepableClock["setAlarm"] = (at, task) => {
    this.#alarm = at === undefined ? undefined : { at, task, purpose: undefined };
    if (this.#mode === "running") this.#armAlarm();
  };

  readonly cancel: KeepableClock["cancel"] = (selector) => {
    this.#timers.cancel(selector);
    if (this.#mode === "running") this.#arm();
  };

  readonly timers: KeepableClock["timers"] = () => this.#timers.list();

  get isDue(): boolean {
    // A request that a timer's task sends must not wait for that timer.
    if (this.#isFiring) return false;
    const next = this.#next();
    return next !== undefined && next.at <= this.now();
  }

  readonly runDue = async (): Promise<void> => {
    if (this.isDue) await this.#afterOtherSteps(() => this.#fire(() => this.now()));
  };

  readonly reset = (): void => {
    this.#generation = {};
    this.#timers.clear();
    this.#alarm = undefined;
    this.#work.clear();
    const { mode = "frozen", rate = 1 } = this.#options;
    this.#mode = mode;
    this.#rate = rate;
    this.#moveTo(this.#start ?? this.#wall.now());
    this.#arm();
  };

  readonly keep = (): KeptClock => ({ mode: this.#mode, rate: this.#rate, at: this.#base, wallAt: this.#wallBase });

  readonly resume = ({ mode, rate, at, wallAt }: KeptClock, restMs = 0): void => {
    this.#mode = mode;
    this.#rate = rate;
    this.#base = at;
    // A real time that was set back meanwhile does not take this clock back.
    this.#wallBase = Math.min(wallAt, this.#wall.now());
    this.#arm(restMs);
  };

  /** No wall clock runs what work has scheduled for the present time of a frozen clock, such as the choice of a winner. */
  readonly #runDueIfQuiet = (): void => {
    if (this.#mode === "frozen" && this.#work.isQuiet) void this.runDue();
  };

  #moveTo(at: number): void {
    this.#base = at;
    if (this.#mode === "running") this.#wallBase = this.#wall.now();
    this.#options.moved?.();
  }

  /** What runs next: a timer, or the alarm if it is due before. */
  #next(): Timer | undefined {
    const { next } = this.#timers;
    return this.#alarm !== undefined && this.#alarm.at < (next?.at ?? Number.POSITIVE_INFINITY) ? this.#alarm : next;
  }

  /** Makes the wall clock run the next timer and the alarm; only a running clock does. */
  #arm(restMs = 0): void {
    this.#disarm();
    const { next } = this.#timers;
    if (this.#mode === "running" && next !== undefined) this.#disarm = this.#runAt(next.at, false, restMs);
    this.#armAlarm();
  }

  #armAlarm(): void {
    this.#disarmAlarm();
    if (this.#mode === "running" && this.#alarm !== undefined) this.#disarmAlarm = this.#runAt(this.#alarm.at, true);
  }

  #runAt(at: number, isIdle: boolean, restMs = 0): () => void {
    // Never due: the clock stands still before.
    if (at > latestTime) return () => {};
    const wait = Math.max(this.#realMsUntil(at), restMs);
    return this.#wall.after(wait, () => void this.#afterOtherSteps(() => this.#fire(() => this.now())), isIdle);
  }

  /** Milliseconds for a timer of the wall clock. It may fire early, or be the first of several, so who waits looks again. */
  #realMsUntil(at: number): number {
    return Math.min(Math.max(Math.ceil((at - this.now()) / this.#rate), 0), longestWait);
  }

  #afterOtherSteps(step: () => Promise<void>): Promise<void> {
    const done = this.#steps.then(step);
    this.#steps = done.catch(() => {});
    return done;
  }

  /** Runs the timers due by `until` one after the other, each after `beforeEach`. */
  async #fire(until: () => number, beforeEach?: () => Promise<void> | undefined): Promise<void> {
    this.#isFiring = true;
    const generation = this.#generation;
    try {
      for (;;) {
        await beforeEach?.();
        const next = this.#next();
        if (generation !== this.#generation || next === undefined || next.at > until()) break;
        if (next.at > this.now()) this.#moveTo(next.at);
        if (next === this.#alarm) this.#alarm = undefined;
        else this.#timers.removeNext();
        await next.task(next.at);
      }
    } finally {
      this.#isFiring = false;
      this.#arm();
    }
  }
}
