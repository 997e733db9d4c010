import type { BackendEvent } from "../model/changes/events.ts";
import { expiriesOf } from "../model/expiries.ts";
import type { State } from "../model/state.ts";
import { type ClockListener, type Step, sleepEnds } from "../model/time/clock.ts";
import type { TimerPurpose } from "../model/time/timer-queue.ts";
import type { World } from "../model/world.ts";
import { transferTimers } from "./transfer-steps.ts";

/** A future event: a timer, or the end of a status or a secret. */
export interface Upcoming extends DescribedTimer {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A timer with what it rings, if it belongs to a ring of a transfer. */
export interface DescribedTimer extends TimerPurpose {
  readonly destinationId?: string;
  readonly memberId?: string;
}

/** Future events, soonest first. */
export function upcoming({ clock, state }: World): readonly Upcoming[] {
  const now = clock.now();
  const timers = clock.timers().map(({ at, ...timer }) => ({ at, ...describe(state, timer) }));
  const later = expiriesOf(state).filter(({ at }) => at > now);
  return [...timers, ...later].sort((a, b) => a.at - b.at);
}

function describe({ transfers }: State, timer: TimerPurpose): DescribedTimer {
  const ring = timer.index === undefined ? undefined : transfers.get(timer.id)?.rings[timer.index];
  if (ring === undefined) return timer;
  const { destinationId, memberId } = ring;
  return { ...timer, destinationId, ...(memberId !== undefined && { memberId }) };
}

/** An upcoming timer or a timer's event as the control plane shows it: the index is that of a ring. */
export function shownTimer({
  index,
  ...timer
}: DescribedTimer): Omit<DescribedTimer, "index"> & { ringIndex?: number } {
  return { ...timer, ...(index !== undefined && { ringIndex: index }) };
}

/** Timers that only continue work in progress, or choose among the answers of one instant. */
const internalTimers: ReadonlySet<string> = new Set([sleepEnds, transferTimers.settles]);

/** Announces what a backend's clock does. `world` is its world, once it is complete. */
export function clockListener(world: () => World): ClockListener {
  return {
    changed(by) {
      const { clock, events, expiries } = world();
      if (by === undefined) expiries.refresh();
      const { mode, rate } = clock;
      events.emit("clock.changed", { now: clock.iso(), mode, rate, ...(by !== undefined && { by }) });
    },
    timer(change, at, purpose) {
      if (internalTimers.has(purpose.kind)) return;
      const { state, events, effects } = world();
      if (change === "set") effects.timer(at, purpose);
      // Described at once: the transfer may be gone when someone reads the event.
      const timer = describe(state, purpose);
      events.emit(`timer.${change}`, () => ({ timerAt: new Date(at).toISOString(), ...shownTimer(timer) }));
    },
  };
}

/** Whether an event says what the clock itself does. */
function isOfClock({ type }: BackendEvent): boolean {
  return type === "clock.changed" || type.startsWith("timer.");
}

/** Moves the clock and returns what happened, in order. A step to the next timer also stops at expiries. */
export async function advance(world: World, step: Step): Promise<readonly BackendEvent[]> {
  const { clock, events, expiries } = world;
  const happened: BackendEvent[] = [];
  const note = (event: BackendEvent): void => {
    if (!isOfClock(event)) happened.push(event);
  };
  const stop = events.follow(note, { keepsSandbox: false });
  try {
    // Records may have been replaced in the maps of the state.
    expiries.refresh();
    const [next] = upcoming(world);
    await clock.advance("nextTimer" in step && next !== undefined ? { to: Math.max(next.at, clock.now()) } : step);
  } finally {
    stop();
  }
  return happened;
}
