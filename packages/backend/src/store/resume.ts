import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { FaultQueue, FaultsSnapshot } from "../faults/faults.ts";
import type { InboxEvent } from "../generated/models.gen.ts";
import type { Tokens } from "../http/checks/tokens.ts";
import type { WritableJournal } from "../http/journal/journal.ts";
import { keepJournal } from "../http/journal/keep-journal.ts";
import { InputError } from "../model/errors/input-error.ts";
import { defaultPolicies, type Policies } from "../model/policies.ts";
import { clearState } from "../model/state.ts";
import type { Keeper, NotStoredError } from "../model/storage/keeper.ts";
import { factTable, type StoredState } from "../model/storage/stored-state.ts";
import type { KeepableClock, KeptClock, WallClock } from "../model/time/clock.ts";
import type { TimerPurpose } from "../model/time/timer-queue.ts";
import type { Random } from "../model/values/random.ts";
import type { World } from "../model/world.ts";
import { callEndTimer, scheduleCallEnd } from "../platform/calls.ts";
import type { DeliveryEngine, SentDelivery } from "../platform/delivery.ts";
import type { InboxAnswer, ReceivingInbox } from "../platform/inbox.ts";
import type { TransferEngine } from "../platform/transfers.ts";
import { type KeptTimers, timerTable } from "./kept-timers.ts";
import type { ReservedIds } from "./reserved-ids.ts";

/** The version of the rows. Raise it when older programs cannot read them, and convert the older ones on loading. */
const rowsVersion = 1;

/** The parts of a backend that a store keeps. */
export interface KeptCore {
  readonly world: World & { readonly clock: KeepableClock };
  readonly randoms: Readonly<Record<"main" | "faults", Random>>;
  readonly requestIds: ReservedIds;
  readonly timers: KeptTimers | undefined;
  readonly tokens: Tokens;
  readonly faults: FaultQueue;
  readonly inbox: ReceivingInbox;
  readonly deliveries: DeliveryEngine;
  readonly transfers: TransferEngine;
  readonly journal: WritableJournal;
}

/** Loads what a store holds, and lets its keeper store what changes from now on. Returns whether it held anything. */
export function keepCore(core: KeptCore, keeper: Keeper): boolean {
  const { world, randoms, requestIds, tokens, faults, inbox } = core;
  keeper.addFact("version", { read: () => rowsVersion });
  keeper.addFact("clock", { read: world.clock.keep });
  keeper.addFact("random", {
    read: () => ({ main: randoms.main.position, faults: randoms.faults.position }),
    isCompared: true,
  });
  keeper.addFact("requestIds", { read: () => requestIds.reservedUntil });
  keeper.addFact("tokenSecret", { read: () => bytesToHex(tokens.secret) });
  // Untyped code may change policies in place.
  keeper.addFact("policies", { read: () => world.policies, isCompared: true });
  keeper.addFact("faults", { read: faults.keep });
  keeper.addFact("inbox", { read: () => inbox.answer });
  const stored = keeper.load();
  if (stored !== undefined) resumeChecked(core, stored);
  keepJournal(core.journal, keeper, stored);
  keeper.start((error, wall) => goBack(core, keeper, error, wall));
  return stored !== undefined;
}

function resumeChecked(core: KeptCore, stored: StoredState): void {
  try {
    resume(core, stored);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // Not an option of the present start.
    throw new Error(`The stored sandbox does not fit this program (${error.message}). Use the one that stored it.`, {
      cause: error,
    });
  }
}

/** The facts of a backend. */
interface Facts {
  readonly version: number;
  readonly clock: KeptClock;
  readonly random: Readonly<Record<"main" | "faults", number>>;
  readonly requestIds: number;
  readonly tokenSecret: string;
  readonly policies: Policies;
  readonly faults: FaultsSnapshot;
  readonly inbox: InboxAnswer;
}

const factNames = [
  "version",
  "clock",
  "random",
  "requestIds",
  "tokenSecret",
  "policies",
  "faults",
  "inbox",
] as const satisfies readonly (keyof Facts)[];

/** Puts what a store holds in place of the present state. Timers begin to run after `restMs` of real time. */
function resume(core: KeptCore, stored: StoredState, restMs = 0): void {
  const { world, randoms, requestIds, timers, tokens, faults, inbox, deliveries, transfers } = core;
  const { state, clock, policies, events, expiries, changes } = world;
  const facts = readFacts(stored);
  events.quietly(() => {
    clearState(state);
    clock.reset();
    deliveries.clear();
    inbox.clear();
    for (const [name, records] of Object.entries(state) as [string, Map<string, unknown>][])
      for (const [key, record] of stored.rows(name)) records.set(key, record);
    Object.assign(policies, knownPolicies(facts.policies));
    randoms.main.position = facts.random.main;
    randoms.faults.position = facts.random.faults;
    requestIds.resume(facts.requestIds);
    tokens.secret = hexToBytes(facts.tokenSecret);
    faults.restore(facts.faults);
    inbox.answer = facts.inbox;
    inbox.received.resume(stored.rows<InboxEvent>("inbox"));
    deliveries.sent.resume(stored.rows<SentDelivery>("deliveries"));
    for (const [key, { at, ...purpose }] of stored.rows<{ readonly at: number } & TimerPurpose>(timerTable))
      timers?.resume(key, () => {
        if (purpose.kind === callEndTimer) scheduleCallEnd(world, purpose.id, at);
        else transfers.schedule(at, purpose);
      });
    clock.resume(facts.clock, restMs);
  });
  // The journal stays, but not what its requests found.
  changes.clear();
  expiries.restart();
}

/** Does what was due while the state was only in the store. Offers that no app has answered are sent again first. */
export function continueWork({ world, transfers }: KeptCore): void {
  transfers.resend();
  void world.clock.runDue();
}

/** How long timers and offers rest after a commit failed, in milliseconds of real time: at once, the next would fail too. */
const restMs = 1000;

/** Goes back to what the store holds, because a commit failed, and continues after a rest. Returns a function that cancels that. */
function goBack(core: KeptCore, keeper: Keeper, { message }: NotStoredError, wall: WallClock): () => void {
  const stored = keeper.load();
  if (stored === undefined) throw new Error("The store holds no state.");
  keeper.withoutNoting(() => resume(core, stored, restMs));
  core.world.events.emit("sandbox.restored", { reason: message });
  return wall.after(restMs, () => continueWork(core));
}

function readFacts({ rows }: StoredState): Facts {
  const facts = Object.fromEntries<unknown>(rows(factTable)) as unknown as Facts;
  const { version = rowsVersion } = facts;
  if (version !== rowsVersion)
    throw new Error(
      `The stored sandbox has version ${version}, and this program reads version ${rowsVersion}. Use a newer program.`,
    );
  const missing = factNames.find((name) => facts[name] === undefined);
  if (missing === undefined) return facts;
  throw new Error(`The stored sandbox has no ${missing}, so it is damaged. Restore the data from a backup.`);
}

/** The stored policies that this version has; the others have their defaults. */
function knownPolicies(stored: object): Policies {
  const defaults = defaultPolicies();
  const known = Object.entries(stored).filter(([name]) => Object.hasOwn(defaults, name));
  return { ...defaults, ...Object.fromEntries(known) };
}
