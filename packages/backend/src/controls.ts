import type { OperationDescription } from "@call-transfer/spec";
import { applyScenario } from "./contents/apply-scenario.ts";
import { CheckedCollections } from "./contents/collections.ts";
import { createKeys } from "./contents/keys.ts";
import { loadSeed } from "./contents/load-seed.ts";
import { restoreSnapshot, takeSnapshot } from "./contents/snapshot.ts";
import type { BackendControls } from "./control/parts/controls.ts";
import type { Core } from "./core.ts";
import { reset } from "./lifecycle.ts";
import type { EventDetails } from "./model/events.ts";
import { checkPolicies } from "./model/policies.ts";
import type { World } from "./model/state.ts";
import type { BackendOptions } from "./options.ts";
import { drainQueue } from "./platform/calls.ts";
import { advance, upcoming } from "./platform/upcoming.ts";

/** Creates what tests read and change of a backend. */
export function createControls(
  core: Core,
  options: BackendOptions,
  operations: readonly OperationDescription[],
): Omit<BackendControls, "replay" | "clock" | "state"> & Pick<World, "clock" | "state"> {
  const { world, tokens, faults, stubs, inbox, deliveries, transfers, journal } = core;
  const { state, clock, policies, events, expiries } = world;
  return {
    clock,
    state,
    collections: new CheckedCollections(world, transfers.followCalls),
    policies,
    faults,
    stubs,
    deliveries,
    inbox,
    transfers,
    keys: createKeys(world, tokens),
    journal,
    events,
    operations,
    advance: (step) => advance(world, step),
    upcoming: () => upcoming(world),
    changePolicies(changes) {
      checkPolicies(changes);
      Object.assign(policies, structuredClone(changes));
      world.keeper?.touch("policies");
      events.emit("policies.changed", structuredClone(changes) as EventDetails);
      // A higher limit starts queued calls at once.
      for (const accountId of state.accounts.keys()) drainQueue(world, accountId, clock.now());
      return { ...policies };
    },
    applyScenario(name) {
      applyScenario(core, name);
      world.keeper?.touch("policies");
    },
    seed(more) {
      loadSeed(world, more);
      expiries.refresh();
      events.emit("sandbox.seeded");
    },
    saved: async () => world.keeper?.allSaved(),
    snapshot: () => takeSnapshot(core),
    restore(snapshot) {
      events.quietly(() => {
        restoreSnapshot(core, snapshot);
        journal.clear();
        deliveries.clear();
      });
      world.keeper?.touch("tokenSecret");
      expiries.restart();
      events.emit("sandbox.restored");
      transfers.resend();
    },
    reset: () => reset(core, options),
  };
}
