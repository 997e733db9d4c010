import type { Step } from "../model/clock.ts";
import type { BackendEvent } from "../model/events.ts";
import type { TimerPurpose } from "../model/timer-queue.ts";
import type { World } from "../model/world.ts";

/** A future event: a timer, or the end of a status or a secret. */
export interface Upcoming extends TimerPurpose {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Times without a timer, because passing them only changes what is read: `until` of members, expiry of secrets. */
function expiries({ state }: World): Upcoming[] {
  const found: Upcoming[] = [];
  for (const { id, availability } of state.members.values())
    if (availability.status !== "available" && availability.until)
      found.push({ at: Date.parse(availability.until), kind: "availability.ends", id });
  for (const { id, previousSecretExpiresAt } of state.destinations.values())
    if (previousSecretExpiresAt !== undefined) found.push({ at: previousSecretExpiresAt, kind: "secret.expires", id });
  return found;
}

/** Future events, soonest first. */
export function upcoming(world: World): readonly Upcoming[] {
  const now = world.clock.now();
  const later = expiries(world).filter(({ at }) => at > now);
  return [...world.clock.timers(), ...later].sort((a, b) => a.at - b.at);
}

/** The type of the event that announces a passed expiry. */
const passedTypes: Readonly<Record<string, string>> = {
  "availability.ends": "availability.ended",
  "secret.expires": "secret.expired",
};

/** Moves the clock and returns what happened, in order. A step to the next timer also stops at expiries. */
export async function advance(world: World, step: Step): Promise<readonly BackendEvent[]> {
  const { clock, events } = world;
  const happened: BackendEvent[] = [];
  const before = clock.now();
  const stop = events.follow((event) => void happened.push(event), { keepsSandbox: false });
  try {
    const [next] = upcoming(world);
    await clock.advance("nextTimer" in step && next !== undefined ? { to: Math.max(next.at, before) } : step);
    const now = clock.now();
    for (const { at, kind, id } of expiries(world))
      if (at > before && at <= now) events.emit(passedTypes[kind] ?? kind, { at: new Date(at).toISOString(), id });
  } finally {
    stop();
  }
  return happened.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
