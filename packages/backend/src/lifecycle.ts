import { applyScenario } from "./contents/apply-scenario.ts";
import { demoSeed } from "./contents/demo-seed.ts";
import { loadFirstSeed } from "./contents/load-seed.ts";
import type { Core } from "./core.ts";
import { continueWork, keepCore } from "./data/load-sandbox.ts";
import { noStubs } from "./http/stubs/stubs.ts";
import { defaultPolicies } from "./model/policies.ts";
import { clearState } from "./model/state.ts";
import type { BackendOptions } from "./options.ts";
import { under } from "./utils/input-error.ts";

/** Continues what the store holds, or begins with the initial state. Returns whether the store held anything. */
export function begin(core: Core, options: BackendOptions): boolean {
  const { events, keeper } = core.world;
  try {
    const isResumed = keeper !== undefined && keepCore(core, keeper);
    if (isResumed) continueWork(core);
    else {
      const goOn = beginTokens(core);
      events.quietly(() => loadInitial(core, options));
      applyScenarios(core, options);
      goOn();
      keeper?.flush();
    }
    return isResumed;
  } catch (error) {
    // Otherwise a part of a sandbox would be stored.
    keeper?.stop();
    stop(core);
    throw error;
  }
}

/** Ends what happens by itself. The store does not notice. */
export function stop({ world: { clock, events, keeper }, deliveries }: Core): void {
  const end = (): void => {
    events.quietly(() => clock.set({ mode: "frozen" }));
    deliveries.giveUp();
  };
  if (keeper === undefined) end();
  else keeper.withoutNoting(end);
}

function loadInitial({ world, faults, stubs }: Core, options: BackendOptions): void {
  const { seed = demoSeed, faults: initial = [], stubs: initialStubs = [] } = options;
  under("seed", () => loadFirstSeed(world, seed));
  for (const [index, stub] of initialStubs.entries()) under(`stubs[${index}]`, () => stubs.add(stub));
  for (const [index, fault] of initial.entries()) under(`faults[${index}]`, () => faults.addInitial(fault));
  world.expiries.restart();
}

/**
 * Begins the sequences of the initial state, of which the key of access tokens is the first value, so that tokens issued
 * earlier stay valid. The returned function goes on with the sequences of the seed.
 */
function beginTokens({ generators, randoms, tokens, world }: Core): () => void {
  const goOn = generators.begin();
  tokens.secret = randoms.main.bytes(32);
  world.keeper?.touch("tokenSecret");
  return goOn;
}

function applyScenarios(core: Core, { scenarios = [] }: BackendOptions): void {
  for (const [index, name] of scenarios.entries()) under(`scenarios[${index}]`, () => applyScenario(core, name));
}

/** Goes back to the initial state. Scenarios are applied last, and announce their events. */
export function reset(core: Core, options: BackendOptions): void {
  const { events } = core.world;
  const goOn = beginTokens(core);
  events.quietly(() => clear(core, options));
  events.emit("sandbox.reset");
  applyScenarios(core, options);
  goOn();
}

function clear(core: Core, options: BackendOptions): void {
  const { world, faults, stubs, inbox, deliveries, journal } = core;
  clearState(world.state);
  world.clock.reset();
  Object.assign(world.policies, defaultPolicies(), structuredClone(options.policies));
  faults.restore({ last: 0, waiting: [] });
  stubs.prepare(noStubs)();
  inbox.clear();
  journal.clear();
  deliveries.clear();
  loadInitial(core, options);
}
