// Processes of a receiver on the virtual clock. A process can stall and crash, as after SIGSTOP and SIGKILL.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Scheduler, Timer } from "./scheduler.ts";

/** A request that a process handles. The clock stands still until it takes a step or sets a timer. */
interface Handled {
  onStep(): void;
}

/** What a process works on. It follows the code through every await. */
interface Work {
  readonly process: Process;
  /** The request that is being handled. */
  readonly request: Handled | undefined;
}

const working = new AsyncLocalStorage<Work>();

/** The time between the timers and the messages of one round of the event loop, in milliseconds. */
const timersFirstMs = 0.01;

/** A process of a receiver. Its timers and what it receives are late while it stalls, and lost when it has crashed. */
export class Process {
  readonly name: string;
  readonly #scheduler: Scheduler;
  #stalledUntil = 0;
  crashedAt: number | undefined;
  readonly stalls: { readonly from: number; readonly to: number }[] = [];

  constructor(name: string, scheduler: Scheduler) {
    this.name = name;
    this.#scheduler = scheduler;
  }

  crash(): void {
    this.crashedAt ??= this.#scheduler.now;
  }

  stall(ms: number): void {
    const { now } = this.#scheduler;
    this.#stalledUntil = Math.max(this.#stalledUntil, now + ms);
    this.stalls.push({ from: now, to: now + ms });
  }

  /** Runs code of this process that works on a request. */
  run<Result>(request: Handled | undefined, code: () => Result): Result {
    return working.run({ process: this, request }, code);
  }

  /** Passes a message to this process: a request, or an answer of the store. */
  receive(task: () => void): void {
    this.#whenAwake(task, timersFirstMs);
  }

  /** A timer of this process. After a stall, due timers come before messages, as in Node. */
  after(ms: number, work: Work, task: () => void): Timer {
    const late = (): void => this.#whenAwake(() => working.run(work, task), 0);
    return this.#scheduler.after(ms, late);
  }

  cancel(timer: Timer): void {
    this.#scheduler.cancel(timer);
  }

  now(): number {
    return this.#scheduler.now;
  }

  #whenAwake(task: () => void, orderMs: number): void {
    if (this.crashedAt !== undefined) return;
    const waitMs = this.#stalledUntil - this.#scheduler.now;
    if (waitMs > 0) this.#scheduler.after(waitMs + orderMs, () => this.#whenAwake(task, orderMs));
    else task();
  }
}

/** The request that the running code works on; undefined outside a process. */
export const currentRequest = (): Handled | undefined => working.getStore()?.request;

/** A timer of a process. A callback that is waiting for the end of a stall is dropped when the timer is cleared. */
interface ProcessTimer {
  timer: Timer;
  readonly process: Process;
  isCleared: boolean;
}

const isOurs = (timer: unknown): timer is ProcessTimer =>
  typeof timer === "object" && timer !== null && "isCleared" in timer;

/** Gives the code of processes the virtual clock while `run` runs. Other code keeps its timers. */
export async function withProcessTimers<Result>(run: () => Promise<Result>): Promise<Result> {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const { now } = performance;
  const start = (repeats: boolean, task: () => void, ms = 0): ProcessTimer | undefined => {
    const work = working.getStore();
    if (work === undefined) return undefined;
    const { process, request } = work;
    // A copy that waits for another one in its process waits by a timer alone: the clock must go on for it.
    request?.onStep();
    const fire = (): void => {
      if (made.isCleared) return;
      if (repeats) made.timer = process.after(ms, work, fire);
      task();
    };
    const made: ProcessTimer = { timer: process.after(ms, work, fire), process, isCleared: false };
    return made;
  };
  const clear = (timer: unknown): boolean => {
    if (!isOurs(timer)) return false;
    timer.isCleared = true;
    timer.process.cancel(timer.timer);
    return true;
  };
  const replaced = {
    setTimeout: (task: () => void, ms?: number) => start(false, task, ms) ?? setTimeout(task, ms),
    setInterval: (task: () => void, ms?: number) => start(true, task, ms) ?? setInterval(task, ms),
    clearTimeout: (timer: unknown) => clear(timer) || clearTimeout(timer as NodeJS.Timeout),
    clearInterval: (timer: unknown) => clear(timer) || clearInterval(timer as NodeJS.Timeout),
  };
  Object.assign(globalThis, replaced);
  performance.now = () => working.getStore()?.process.now() ?? now.call(performance);
  try {
    return await run();
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
    performance.now = now;
  }
}
