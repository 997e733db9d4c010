import { type DescribedTimer, describedTimer } from "../model/change-log.ts";
import type { Step } from "../model/clock.ts";
import type { BackendEvent } from "../model/events.ts";
import type { World } from "../model/state.ts";
import { expiriesOf } from "../model/state.ts";

/** A future event: a timer, or the end of a status or a secret. */
export interface Upcoming extends DescribedTimer {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Future events, soonest first. */
export function upcoming({ clock, state }: World): readonly Upcoming[] {
  const now = clock.now();
  const timers = clock.timers().map(({ at, ...timer }) => ({ at, ...describedTimer(state.transfers, timer) }));
  const later = expiriesOf(state).filter(({ at }) => at > now);
  return [...timers, ...later].sort((a, b) => a.at - b.at);
}

/** Moves the clock and returns what happened, in order. A step to the next timer also stops at expiries. */
export async function advance(world: World, step: Step): Promise<readonly BackendEvent[]> {
  const { clock, events, expiries } = world;
  const endCollecting = events.collect();
  let happened: readonly BackendEvent[];
  try {
    // Records may have been replaced in the maps of the state.
    expiries.refresh();
    const [next] = "nextTimer" in step ? upcoming(world) : [];
    await clock.advance(next === undefined ? step : { to: Math.max(next.at, clock.now()) });
  } finally {
    happened = endCollecting();
  }
  return happened;
}
