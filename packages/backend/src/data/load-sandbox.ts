import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import type { FaultQueue, FaultsSnapshot } from "../faults/faults.ts";
import type { InboxEvent } from "../generated/models.gen.ts";
import type { Tokens } from "../http/authenticate.ts";
import { keepRequestLog, type WritableRequestLog } from "../http/request-log.ts";
import type { StubTable } from "../http/stubs.ts";
import type { KeepableClock, KeptClock, WallClock } from "../model/clock.ts";
import { defaultPolicies, type Policies } from "../model/policies.ts";
import { type BackendState, clearState } from "../model/state.ts";
import type { Fact, StateWriter } from "../model/state-writer.ts";
import { factTable, type StoredState } from "../model/store.ts";
import { type StoredTimers, timerTable } from "../model/stored-parts.ts";
import { callEndTimer, type SetTimer } from "../model/timer-queue.ts";
import { scheduleCallEnd } from "../platform/calls.ts";
import type { DeliveryEngine, SentDelivery } from "../platform/delivery.ts";
import type { InboxResponse, ReceivingInbox } from "../platform/inbox.ts";
import type { TransferEngine } from "../platform/transfers.ts";
import { InputError } from "../utils/input-error.ts";
import type { Generators, Random } from "../utils/random.ts";

/** The version of the rows. Raise it when older programs cannot read them, and convert the older ones on loading. */
const rowsVersion = 1;

/** The parts of a backend that snapshots and scenarios change, and a store keeps. */
export interface Core {
  readonly backend: BackendState & { readonly clock: KeepableClock };
  readonly generators: Generators;
  readonly requestIds: Pick<Random, "uuid">;
  readonly timers: StoredTimers | undefined;
  readonly tokens: Tokens;
  readonly faults: FaultQueue;
  readonly stubs: StubTable;
  readonly inbox: ReceivingInbox;
  readonly deliveries: DeliveryEngine;
  readonly transfers: TransferEngine;
  readonly requests: WritableRequestLog;
}

/** Loads what a store holds, and lets its writer store what changes from now on. Returns whether it held anything. */
export function keepCore(core: Core, writer: StateWriter): boolean {
  const { backend, generators, tokens, faults, inbox } = core;
  const { main, faults: ofFaults } = generators.sequences;
  const stored = writer.load({
    version: { read: () => rowsVersion },
    clock: { read: backend.clock.keep },
    random: { read: () => ({ main: main.position, faults: ofFaults.position }), isCompared: true },
    tokenSecret: { read: () => bytesToHex(tokens.secret) },
    // Untyped code may change policies in place.
    policies: { read: () => backend.policies, isCompared: true },
    faults: { read: faults.keep },
    stubs: { read: core.stubs.keep },
    inbox: { read: () => inbox.response },
  } satisfies Record<keyof Facts, Fact>);
  if (stored !== undefined) resumeChecked(core, stored);
  keepRequestLog(core.requests, writer, stored);
  writer.start((before, error, wall) => goBack(core, writer, before, error, wall));
  return stored !== undefined;
}

function resumeChecked(core: Core, stored: StoredState): void {
  try {
    resume(core, stored);
    core.inbox.received.resume(stored.rows<InboxEvent>("inbox"));
    core.deliveries.sent.resume(stored.rows<SentDelivery>("deliveries"));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // Not an option of the present start.
    throw new Error(`The stored sandbox does not fit this program (${error.message}). Use the one that stored it.`, {
      cause: error,
    });
  }
}

interface Facts {
  readonly version: number;
  readonly clock: KeptClock;
  readonly random: Readonly<Record<"main" | "faults", number>>;
  readonly tokenSecret: string;
  readonly policies: Policies;
  readonly faults: FaultsSnapshot;
  readonly stubs: FaultsSnapshot;
  readonly inbox: InboxResponse;
}

const factNames = [
  "version",
  "clock",
  "random",
  "tokenSecret",
  "policies",
  "faults",
  "stubs",
  "inbox",
] as const satisfies readonly (keyof Facts)[];

/** Puts what a store holds in place of the present state, but for its histories. Timers begin to run after `restMs` of real time. */
function resume(core: Core, stored: StoredState, restMs = 0): void {
  const { state, events, clock } = core.backend;
  const facts = readFacts(stored.rows(factTable));
  events.quietly(() => {
    clearState(state);
    clock.reset();
    core.deliveries.abandon();
    for (const [name, records] of Object.entries(state) as [string, Map<string, unknown>][])
      for (const [key, record] of stored.rows(name)) records.set(key, record);
    resumeFacts(core, facts);
    resumeTimers(core, stored.rows(timerTable));
    clock.resume(facts.clock, restMs);
  });
  core.backend.expiries.restart();
}

function resumeFacts({ backend, generators, tokens, faults, stubs, inbox }: Core, facts: Facts): void {
  Object.assign(backend.policies, knownPolicies(facts.policies));
  generators.sequences.main.position = facts.random.main;
  generators.sequences.faults.position = facts.random.faults;
  tokens.secret = hexToBytes(facts.tokenSecret);
  faults.restore(facts.faults);
  stubs.prepare(facts.stubs)();
  inbox.response = facts.inbox;
}

function resumeTimers({ backend, timers, transfers }: Core, rows: readonly (readonly [string, SetTimer])[]): void {
  for (const [key, { at, ...purpose }] of rows)
    timers?.resume(key, () => {
      if (purpose.kind === callEndTimer) scheduleCallEnd(backend, purpose.id, at);
      else transfers.schedule(at, purpose);
    });
}

/** Does what was due while the state was only in the store. Offers that no app has answered are sent again first. */
export function continueWork({ backend, transfers }: Core): void {
  transfers.resend();
  void backend.clock.runDue();
}

/** How long timers and offers rest after a commit failed, in milliseconds of real time: at once, the next would fail too. */
const restMs = 1000;

/** Goes back to what the store holds, because a commit failed, and continues after a rest. Returns a function that cancels that. */
function goBack(core: Core, writer: StateWriter, stored: StoredState, { message }: Error, wall: WallClock): () => void {
  writer.withoutRecording(() => resume(core, stored, restMs));
  core.backend.events.emit("sandbox.restored", { reason: message });
  return wall.after(restMs, () => continueWork(core));
}

function readFacts(stored: readonly (readonly [name: string, value: unknown])[]): Facts {
  const facts = Object.fromEntries(stored) as unknown as Facts;
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
