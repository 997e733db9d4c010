/** A task at a virtual time. */
export interface Timer {
  readonly at: number;
  readonly sequence: number;
  /** Undefined after it ran or was cancelled. */
  task: (() => void) | undefined;
}

/** The virtual clock of a world. Backend, clients, receiver and network share it. */
export interface Scheduler {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Runs a task after a delay. Tasks of one instant run in the order in which they were added. */
  after(delayMs: number, task: () => void): Timer;
  cancel(timer: Timer): void;
  /** Stops the clock until a promise settles. Web Crypto, for example, takes real time but no virtual time. */
  hold(work: Promise<unknown>): void;
  /** Runs tasks one at a time, until `done` or until none are left. Returns false after `maxTasks`. */
  run(done: () => boolean, maxTasks: number): Promise<boolean>;
}

const isBefore = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.sequence < b.sequence);

/** The number of immediates to request at once. A round of the event loop takes longer than all of them. */
const turnsPerRound = 64;
let turnsLeft = 0;
let nextTask = (): void => {};

/** Runs a task after all microtasks, when unhandled rejections have been reported. */
function afterTurn(task: () => void): void {
  nextTask = task;
  if (turnsLeft > 0) return;
  for (; turnsLeft < turnsPerRound; turnsLeft += 1) setImmediate(takeTurn);
}

function takeTurn(): void {
  turnsLeft -= 1;
  const task = nextTask;
  nextTask = () => {};
  task();
}

/** Creates a scheduler whose time starts at `start`. */
export function createScheduler(start: number): Scheduler {
  const heap: Timer[] = [];
  let now = start;
  let sequence = 0;
  let held = 0;
  let noteRelease = (): void => {};

  const push = (timer: Timer): void => {
    let index = heap.push(timer) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Timer;
      if (!isBefore(timer, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = timer;
  };
  const pop = (): Timer | undefined => {
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (let child = 1; child < heap.length; child = 2 * index + 1) {
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as Timer)) child += 1;
      const below = heap[child] as Timer;
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  };
  const nextTimer = (): Timer | undefined => {
    let timer = pop();
    while (timer && timer.task === undefined) timer = pop();
    return timer;
  };
  const release = (): void => {
    held -= 1;
    if (held === 0) noteRelease();
  };

  return {
    get now() {
      return now;
    },
    after(delayMs, task) {
      const timer = { at: now + Math.max(0, delayMs), sequence: sequence++, task };
      push(timer);
      return timer;
    },
    cancel(timer) {
      timer.task = undefined;
    },
    hold(work) {
      held += 1;
      work.then(release, release);
    },
    run: (done, maxTasks) =>
      new Promise((resolve) => {
        let left = maxTasks;
        const step = (): void => {
          noteRelease = held > 0 ? () => afterTurn(step) : () => {};
          if (held > 0) return;
          const timer = done() ? undefined : nextTimer();
          if (timer === undefined || left === 0) {
            resolve(timer === undefined);
            return;
          }
          left -= 1;
          now = timer.at;
          const { task } = timer;
          timer.task = undefined;
          task?.();
          afterTurn(step);
        };
        afterTurn(step);
      }),
  };
}

/** A seeded generator. The same seed and stream give the same sequence. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** An integer from 0 up to, but not including, `bound`. */
  below(bound: number): number;
  /** A number from `low` up to, but not including, `high`. */
  between(low: number, high: number): number;
  /** True with a probability from 0 to 1. */
  chance(probability: number): boolean;
  /** An entry of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
}

/** Creates a generator (splitmix32). Streams of one seed are independent. */
export function createRandom(seed: number, stream: string): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 0;
  for (const letter of stream) state = Math.imul(state ^ letter.charCodeAt(0), 0x85ebca6b);
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
  };
}
