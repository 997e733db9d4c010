import type { ChangeLog } from "./change-log.ts";
import type { EventLog } from "./changes/events.ts";
import type { Expiries } from "./expiries.ts";
import type { Policies } from "./policies.ts";
import type { WorldState } from "./state.ts";
import type { Keeper } from "./storage/keeper.ts";
import type { WorldClock } from "./time/clock.ts";
import type { Random } from "./values/random.ts";

/** One backend's world: what every rule may read and change. */
export interface World {
  readonly state: WorldState;
  readonly clock: WorldClock;
  readonly random: Random;
  readonly policies: Policies;
  readonly events: EventLog;
  /** Gets the expiries of records that change. */
  readonly expiries: Expiries;
  /** Notes what changes. */
  readonly changes: ChangeLog;
  /** Stores what changes; absent for a backend in memory. */
  readonly keeper?: Keeper | undefined;
}
