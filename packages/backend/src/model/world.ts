import type { Clock } from "./clock.ts";
import type { EffectLog } from "./effects.ts";
import type { Events } from "./events.ts";
import type { Expiries } from "./expiries.ts";
import type { Keeper } from "./keeper.ts";
import type { Past } from "./past.ts";
import type { Policies } from "./policies.ts";
import type { Random } from "./random.ts";
import type { State } from "./state.ts";

/** One backend's world: what every rule may read and change. */
export interface World {
  readonly state: State;
  readonly clock: Clock;
  readonly random: Random;
  readonly policies: Policies;
  readonly events: Events;
  /** Gets the expiries of records that change. */
  readonly expiries: Expiries;
  /** Gets what a request changes. */
  readonly effects: EffectLog;
  /** What requests found. */
  readonly past: Past;
  /** Stores what changes; absent for a backend in memory. */
  readonly keeper?: Keeper | undefined;
}
