import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Clock } from "./control.ts";
import { day } from "./format.ts";

/** The clock of the current sandbox. */
export interface ClockStore {
  /** As the control plane last sent it; undefined before that. */
  readonly clock: ReadonlySignal<Clock | undefined>;
  /** The sandbox's time in milliseconds since the epoch, several times a second while it flows. */
  readonly now: ReadonlySignal<number>;
  /** The sandbox's day in UTC, such as `2026-03-01`, which the head of the page shows. */
  readonly today: ReadonlySignal<string>;
  /** The sandbox's time at this moment, for drawings that move with each frame. */
  read(): number;
  /** Takes what the control plane sent. */
  set(clock: Clock): void;
  /** Forgets the clock: the page shows another sandbox. */
  clear(): void;
}

const tickMs = 250;

/** Creates a {@link ClockStore}. It ticks until the signal aborts. */
export function createClockStore(signalOfEnd: AbortSignal): ClockStore {
  const clock = signal<Clock | undefined>(undefined);
  const now = signal(Date.now());
  let receivedAt = performance.now();
  const read = () => {
    const { value } = clock;
    if (value === undefined) return Date.now();
    const elapsed = value.mode === "running" ? (performance.now() - receivedAt) * value.rate : 0;
    return Date.parse(value.now) + elapsed;
  };
  const timer = setInterval(() => {
    now.value = read();
  }, tickMs);
  signalOfEnd.addEventListener("abort", () => clearInterval(timer));
  return {
    clock,
    now,
    today: computed(() => day(now.value)),
    read,
    set(next) {
      receivedAt = performance.now();
      clock.value = next;
      now.value = read();
    },
    clear() {
      clock.value = undefined;
    },
  };
}
