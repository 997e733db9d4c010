import { InputError } from "./input-error.ts";

/** Where a clock's time comes from while it flows; injectable for tests. */
export interface WallClock {
  now(): number;
  /** Runs `task` once after `ms`; answers how to cancel it. */
  after(ms: number, task: () => void): () => void;
}

export type ClockMode = "frozen" | "flowing";
/** By how much, or to when, a clock moves: milliseconds, or a datetime. */
export type Step = { readonly by: number } | { readonly to: number | string } | { readonly nextTimer: true };
/** What a timer is for, in words that can be kept and shown. */
export interface TimerPurpose {
  readonly kind: string;
  /** What it is about, and which part of that. */
  readonly id: string;
  readonly index?: number;
}

/** Runs with the time it was due at, which a late wall clock may have passed. */
export type TimerTask = (dueAt: number) => void | Promise<void>;

/** The one source of time. All timers stand in a queue by (time, sequence). */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The time as an ISO 8601 timestamp in UTC. */
  iso(): string;
  readonly mode: ClockMode;
  /** How many timers wait. */
  readonly pending: number;
  /** Sets time or mode without running timers; those overdue run before the next request or step. */
  set(setting: { readonly now?: number | string; readonly mode?: ClockMode }): void;
  /** Moves time on and resolves when everything due has happened, in order. Throws InputError on a step back. */
  advance(step: Step): Promise<void>;
  /**
   * Resolves when the clock has moved on by so many milliseconds. Meant for work that is tracked; `id` tells what waits.
   */
  sleep(ms: number, id?: string): Promise<void>;
  /** Lets `advance` wait, before each timer, until the work has settled or sleeps on this clock. */
  track(work: Promise<unknown>): void;
  /** Runs `task` when the clock reaches `at` (milliseconds). */
  schedule(at: number, task: TimerTask, purpose?: TimerPurpose): void;
  /** Drops the timers about something; without a kind or an index those of every kind or index. */
  cancel(purpose: Pick<TimerPurpose, "id"> & Partial<TimerPurpose>): void;
  /** The timers that wait and say what for, in the order in which they will fire; `at` is in milliseconds. */
  timers(): readonly (TimerPurpose & { readonly at: number })[];
  /** Runs the timers that are due by now. */
  runDue(): Promise<void>;
  /** Drops every timer and every step under way, wakes whoever sleeps, and goes back to the start. */
  reset(): void;
}

/** The kind of timer that ends a sleep; what goes on then is in no snapshot. */
export const sleepEnds = "sleep.ends";

// Longer waits than this overflow setTimeout and would fire at once.
const longestWait = 2 ** 31 - 1;

/** The real time. */
export const systemClock: WallClock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/** In milliseconds. Later times could not be written as a timestamp any more once something is added to them. */
export const latestTime = Date.parse("9999-01-01T00:00:00Z");

/** Reads a time given as milliseconds, a Date or an ISO 8601 text. Throws InputError that names `field`. */
export function parseTime(field: string, time: number | string | Date): number {
  const at = typeof time === "number" ? time : new Date(time).getTime();
  if (!Number.isFinite(at) || Math.abs(at) > latestTime) throw new InputError(field, "not a time before the year 9999");
  return at;
}

/**
 * Creates a clock. Frozen and flowing differ only in where `now` comes from. Without a start it begins, and begins again
 * at a reset, with the wall clock.
 */
export function createClock(
  start: number | undefined,
  startMode: ClockMode = "frozen",
  wall: WallClock = systemClock,
): Clock {
  let mode = startMode;
  // While frozen the time itself, while flowing its distance from the wall clock.
  const firstBase = (): number => {
    const from = start ?? wall.now();
    return mode === "frozen" ? from : from - wall.now();
  };
  let base = firstBase();
  let sequence = 0;
  // Many requests fall into one millisecond, and each is dated more than once.
  let written = { at: Number.NaN, iso: "" };
  let timers: { at: number; sequence: number; task: TimerTask; purpose: TimerPurpose | undefined }[] = [];
  const sleepers = new Set<() => void>();
  const tracked = new Set<Promise<unknown>>();
  let noteChange = (): void => {};
  let disarm = (): void => {};
  let isFiring = false;
  // Another one after each reset, so that steps of before end there.
  let era = {};
  let steps: Promise<void> = Promise.resolve();

  const now = (): number => (mode === "frozen" ? base : Math.floor(base + wall.now()));
  const moveTo = (at: number): void => {
    base = mode === "frozen" ? at : at - wall.now();
  };
  const arm = (): void => {
    disarm();
    const next = timers[0];
    if (mode === "frozen" || next === undefined) return;
    disarm = wall.after(Math.min(Math.max(next.at - now(), 0), longestWait), () => {
      void serialized(() => fire(now));
    });
  };
  const quiet = async (): Promise<void> => {
    while (tracked.size > sleepers.size)
      await new Promise<void>((resolve) => {
        noteChange = resolve;
      });
  };
  const fire = async (
    until: () => number,
    before: () => Promise<void> | undefined = () => undefined,
  ): Promise<void> => {
    isFiring = true;
    const own = era;
    try {
      for (;;) {
        await before();
        const [next] = timers;
        if (own !== era || next === undefined || next.at > until()) break;
        timers.shift();
        if (next.at > now()) moveTo(next.at);
        await next.task(next.at);
      }
    } finally {
      isFiring = false;
      arm();
    }
  };
  const serialized = (work: () => Promise<void>): Promise<void> => {
    const done = steps.then(work);
    steps = done.catch(() => {});
    return done;
  };
  const schedule = (at: number, task: TimerTask, purpose?: TimerPurpose): void => {
    const timer = { at, sequence: sequence++, task, purpose };
    const index = timers.findIndex((other) => other.at > at);
    timers.splice(index === -1 ? timers.length : index, 0, timer);
    if (timers[0] === timer) arm();
  };
  const target = (step: Step): number => {
    if ("nextTimer" in step) return Math.max(timers[0]?.at ?? now(), now());
    const at = "by" in step ? parseTime("by", now() + parseTime("by", step.by)) : parseTime("to", step.to);
    if (at < now()) throw new InputError("by" in step ? "by" : "to", "time moves forward only");
    return at;
  };

  return {
    now,
    iso() {
      const at = now();
      if (at !== written.at) written = { at, iso: new Date(at).toISOString() };
      return written.iso;
    },
    get mode() {
      return mode;
    },
    get pending() {
      return timers.length;
    },
    set(setting) {
      const at = setting.now === undefined ? now() : parseTime("now", setting.now);
      mode = setting.mode ?? mode;
      moveTo(at);
      arm();
    },
    advance(step) {
      const own = era;
      return serialized(async () => {
        if (own !== era) return;
        const at = target(step);
        await fire(() => at, quiet);
        if (own === era && at > now()) moveTo(at);
        arm();
      });
    },
    sleep: (ms, id = "") =>
      new Promise((wake) => {
        const stop = (): void => {
          sleepers.delete(stop);
          wake();
        };
        sleepers.add(stop);
        noteChange();
        // A turn of the event loop lets whoever slept go on before the next timer fires.
        const end = (): Promise<void> => {
          stop();
          return new Promise((resume) => setTimeout(resume, 0));
        };
        schedule(now() + ms, end, { kind: sleepEnds, id });
      }),
    track(work) {
      const settle = (): void => {
        tracked.delete(settled);
        noteChange();
      };
      const settled: Promise<unknown> = work.then(settle, settle);
      tracked.add(settled);
    },
    schedule,
    cancel({ kind, id, index }) {
      const isMeant = (purpose: TimerPurpose | undefined): boolean =>
        purpose?.id === id && (kind ?? purpose.kind) === purpose.kind && (index ?? purpose.index) === purpose.index;
      timers = timers.filter(({ purpose }) => !isMeant(purpose));
      arm();
    },
    timers: () => timers.flatMap(({ at, purpose }) => (purpose === undefined ? [] : [{ at, ...purpose }])),
    async runDue() {
      // A request that a timer sends must not wait for that timer.
      if (!isFiring && (timers[0]?.at ?? Number.POSITIVE_INFINITY) <= now()) await serialized(() => fire(now));
    },
    reset() {
      era = {};
      timers = [];
      tracked.clear();
      noteChange();
      for (const stop of [...sleepers]) stop();
      mode = startMode;
      base = firstBase();
      arm();
    },
  };
}
