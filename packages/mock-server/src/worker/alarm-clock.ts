import type { WallClock } from "@call-transfer/backend/unstable";
import type { ObjectStorage } from "./platform.ts";

/** Up to this many milliseconds a wait is a timer in memory; an alarm is a request and a row written. */
const longestTimerMs = 1000;

/** How soon an object wakes that stopped in the middle of its work, in milliseconds. */
export const graceMs = 5000;

interface Wait {
  readonly at: number;
  readonly task: () => void;
  readonly isIdle: boolean;
}

/**
 * The real time of a Durable Object. Short waits are timers in memory. Longer ones go through the object's one alarm, which also
 * wakes an object that is not in memory. While the object works, an alarm is always near: after a crash it wakes by itself.
 */
export class AlarmClock implements WallClock {
  readonly #storage: Pick<ObjectStorage, "setAlarm">;
  /** When the object expires, if nothing happens until then. */
  readonly #expiresAt: () => number | undefined;
  readonly #waits = new Set<Wait>();
  #timer: { readonly id: ReturnType<typeof setTimeout>; readonly at: number } | undefined;
  /** The alarm that is set, as far as this instance of the object has set it. */
  #alarmAt = Number.POSITIVE_INFINITY;
  #worksInFlight = 0;
  #openStreams = 0;
  /** Nothing is set before: an alarm that is due would be moved by the object that it wakes. */
  #isRunning = false;

  constructor(storage: Pick<ObjectStorage, "setAlarm">, expiresAt: () => number | undefined) {
    this.#storage = storage;
    this.#expiresAt = expiresAt;
  }

  now(): number {
    return Date.now();
  }

  /** An idle task neither wakes the object nor keeps it in memory, unless an event stream is open. */
  after(ms: number, task: () => void, isIdle = false): () => void {
    const wait = { at: this.now() + ms, task, isIdle };
    this.#waits.add(wait);
    this.#plan();
    return () => void this.#waits.delete(wait);
  }

  /** Makes the object wake soon, whatever happens to it until then. */
  wakeSoon(): void {
    this.#setAlarm(this.now() + graceMs);
  }

  get hasOpenStreams(): boolean {
    return this.#openStreams > 0;
  }

  /** Notes work that must go on after a crash, until the returned function is called. */
  beginWork(): () => void {
    this.#worksInFlight += 1;
    this.wakeSoon();
    return once(() => {
      this.#worksInFlight -= 1;
    });
  }

  /** Notes an open event stream, until the returned function is called. */
  openStream(): () => void {
    this.#openStreams += 1;
    this.#plan();
    return once(() => {
      this.#openStreams -= 1;
      this.#plan();
    });
  }

  /** Begins to set timers and alarms, at the first request. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#plan();
  }

  ring(): void {
    this.#isRunning = true;
    this.#alarmAt = Number.POSITIVE_INFINITY;
    this.#runDue();
  }

  /** Drops all waits and sets no more alarms. */
  stop(): void {
    this.#isRunning = false;
    this.#waits.clear();
    clearTimeout(this.#timer?.id);
  }

  /** Sets the timer and the alarm for what comes next. */
  #plan(): void {
    if (!this.#isRunning) return;
    const now = this.now();
    const near = now + longestTimerMs;
    const timers = [...this.#waits].filter(({ at, isIdle }) => at <= near || (isIdle && this.#openStreams > 0));
    this.#setTimer(Math.min(...timers.map(({ at }) => at)));
    const alarms = [...this.#waits].filter(({ isIdle }) => !isIdle);
    if (this.#worksInFlight > 0) this.wakeSoon();
    // A timer in memory is lost in a crash.
    this.#setAlarm(Math.min(...alarms.map(({ at }) => (at <= near ? now + graceMs : at))));
    this.#setAlarm(this.#expiresAt() ?? Number.POSITIVE_INFINITY);
  }

  /** Sets the alarm unless an earlier one is set: one that goes off too early costs less than moving it each time. */
  #setAlarm(at: number): void {
    if (!this.#isRunning || at >= this.#alarmAt) return;
    this.#alarmAt = at;
    void this.#storage.setAlarm(at);
  }

  #setTimer(at: number): void {
    if (this.#timer?.at === at) return;
    clearTimeout(this.#timer?.id);
    this.#timer = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const run = (): void => {
      this.#timer = undefined;
      this.#runDue();
    };
    this.#timer = { id: setTimeout(run, Math.max(at - this.now(), 0)), at };
  }

  #runDue(): void {
    const now = this.now();
    const due = [...this.#waits].filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
    for (const wait of due) {
      this.#waits.delete(wait);
      wait.task();
    }
    this.#plan();
  }
}

/** The same function, without effect from the second call on. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
