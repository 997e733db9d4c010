import { createFaults } from "./faults/faults.ts";
import type { OperationTable } from "./http/checks/router.ts";
import { createTokens } from "./http/checks/tokens.ts";
import { createJournal } from "./http/journal/journal.ts";
import { createStubs } from "./http/stubs/stubs.ts";
import { ChangeLog } from "./model/change-log.ts";
import { checkRate, parseTime, systemClock } from "./model/clock.ts";
import { createEvents } from "./model/events.ts";
import { checkPolicies, defaultPolicies } from "./model/policies.ts";
import type { World } from "./model/state.ts";
import { createState, Expiries } from "./model/state.ts";
import { Keeper } from "./model/state-writer.ts";
import { KeptTimers, ReservedIds } from "./model/stored-parts.ts";
import { createClock } from "./model/virtual-clock.ts";
import type { BackendOptions } from "./options.ts";
import { SignedDeliveries } from "./platform/deliveries.ts";
import { createInbox } from "./platform/inbox.ts";
import { createTransfers } from "./platform/transfers.ts";
import { under } from "./utils/input-error.ts";
import { createGenerators } from "./utils/random.ts";

export type Core = ReturnType<typeof createCore>;

const defaultStart = "2026-03-02T12:00:00Z";

/** Creates the state of a backend and what acts on it, without any records. */
export function createCore(
  options: BackendOptions,
  { table, onFollow }: { readonly table: OperationTable; readonly onFollow?: (() => () => void) | undefined },
) {
  under("policies", () => checkPolicies(options.policies ?? {}));
  if (options.clockRate !== undefined) checkRate("clockRate", options.clockRate);
  const { wall = systemClock, name = "default", store } = options;
  const generators = createGenerators(options.prng, options.clock);
  const randoms = generators.sequences;
  const keeper = store === undefined ? undefined : new Keeper(store, wall);
  const timers = keeper && new KeptTimers(keeper);
  const changes = new ChangeLog((): World => world, keeper);
  const start = options.now ?? (options.clock === "flowing" ? undefined : defaultStart);
  const clock = createClock(start === undefined ? undefined : parseTime("now", start), {
    mode: options.clock,
    rate: options.clockRate,
    wall,
    watches: timers === undefined ? [changes] : [timers, changes],
    changed: changes.clockChanged,
    moved: timers?.moved,
  });
  const [state, events] = [createState(changes), createEvents(clock, onFollow)];
  const world = {
    state,
    clock,
    random: randoms.main,
    policies: { ...defaultPolicies(), ...structuredClone(options.policies) },
    events,
    expiries: new Expiries({ state, clock, events }),
    changes,
    keeper,
  };
  const tokens = createTokens(new Uint8Array(32));
  const changed = keeper && (() => keeper.touch("faults"));
  const faults = createFaults(randoms.faults, table.operations, { clock, sandbox: name, events, changed });
  const stubs = createStubs(table, { events, changed: keeper && (() => keeper.touch("stubs")) });
  const inbox = createInbox(world);
  const { fetch, forwardWebhooks: forwardTo } = options;
  const deliveries = new SignedDeliveries(world, faults, { inbox, fetch, forwardTo });
  const transfers = createTransfers(world, deliveries);
  const journal = createJournal(table.operations, () => {
    events.emit("requests.cleared");
    keeper?.plan("soon");
  });
  const requestIds = new ReservedIds(randoms.requestIds, keeper);
  const parts = { deliveries, transfers, journal };
  return { world, generators, randoms, requestIds, timers, tokens, faults, stubs, inbox, ...parts };
}
