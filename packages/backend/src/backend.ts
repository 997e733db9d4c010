import * as z from "zod";
import { applyScenario } from "./contents/apply-scenario.ts";
import { createCollections } from "./contents/collections.ts";
import { demoSeed } from "./contents/demo-seed.ts";
import { createKeys } from "./contents/keys.ts";
import { loadFirstSeed, loadSeed } from "./contents/load-seed.ts";
import type { ScenarioName } from "./contents/scenarios.ts";
import type { Seed } from "./contents/seed.ts";
import { restoreSnapshot, takeSnapshot, takeSnapshotBefore } from "./contents/snapshot.ts";
import { serveControl } from "./control/control.ts";
import type { BackendControls } from "./control/parts/controls.ts";
import type { SandboxRegistry, WebhookAttack } from "./control/parts/exchange.ts";
import { controlError } from "./control/parts/reply.ts";
import { type Core, createCore } from "./core.ts";
import type { Fault } from "./faults/fault.ts";
import { createAnswer } from "./http/answer.ts";
import type { AnyHandler } from "./http/checks/exchange.ts";
import { callTransferOperations, type OperationTable } from "./http/checks/router.ts";
import { createRecorder, entryOf, type RecordedRequest, type Recorder } from "./http/journal/recorder.ts";
import { createReplay } from "./http/replay.ts";
import { errorResponse } from "./http/respond.ts";
import { createFetch } from "./http/transport/fetch.ts";
import { controlPrefix } from "./http/transport/paths.ts";
import type { HandledResponse, IncomingRequest } from "./http/transport/transport.ts";
import type { EventDetails, Events } from "./model/changes/events.ts";
import { checkInput, under } from "./model/errors/input-error.ts";
import { checkPolicies, defaultPolicies, type Policies } from "./model/policies.ts";
import { clearState } from "./model/state.ts";
import { NotStoredError } from "./model/storage/keeper.ts";
import type { SandboxStore } from "./model/storage/store.ts";
import type { ClockMode, WallClock } from "./model/time/clock.ts";
import { isWebAddress } from "./model/values/web-address.ts";
import { drainQueue } from "./platform/calls.ts";
import { advance, upcoming } from "./platform/upcoming.ts";
import { rehearse } from "./rehearse.ts";
import { handlers as allHandlers } from "./routes/index.ts";
import { continueWork, keepCore } from "./store/resume.ts";

/** How a backend starts, and what it uses from outside. */
export interface BackendOptions {
  /** The initial records; `demoSeed` by default. */
  readonly seed?: Seed;
  /**
   * The clock's initial time, also after a reset: milliseconds since the epoch, a Date or an ISO 8601 timestamp. By default
   * 2026-03-02T12:00:00Z for a frozen clock, and the real time for a flowing one.
   */
  readonly now?: string | number | Date;
  /** `frozen` moves only on request, `flowing` follows the wall clock; `frozen` by default. */
  readonly clock?: ClockMode;
  /** How many seconds pass in one second of real time, while the clock flows: above 0, up to 10,000; 1 by default. */
  readonly clockRate?: number;
  /**
   * Seed of the ids that are created after the start, an integer. By default 1 for a frozen clock, so that runs repeat, and a
   * random one for a flowing clock, so that no event of a later run has the id of an earlier one. The ids and secrets that
   * `seed` leaves out do not depend on it, nor does the key that signs access tokens: all backends have the same key, so the
   * tokens protect nothing.
   */
  readonly prng?: number;
  /** Changes to the default policies. */
  readonly policies?: Partial<Policies>;
  /** The initial faults, also after a reset; none by default. A text such as `createCall 503` is read by `parseFault`. */
  readonly faults?: readonly (Fault | string)[];
  /** The scenarios to apply at the start, in this order, also after a reset; none by default. */
  readonly scenarios?: readonly ScenarioName[];
  /** Sends webhook deliveries; by default the global fetch, looked up at each delivery. */
  readonly fetch?: typeof globalThis.fetch;
  /** URL to deliver all webhooks to, instead of the destinations' own; those to the built-in inbox still go there. */
  readonly forwardWebhooks?: string;
  /** Whether to serve the control plane under `/_control/v1`; false by default. */
  readonly controlPlane?: boolean;
  /**
   * Keeps the state beyond the end of the process; by default it is in memory only. What the store holds comes back: seed,
   * clock, policies, faults and scenarios have no effect then, until a reset.
   */
  readonly store?: SandboxStore;
  /** The source of real time; the system's clock by default. */
  readonly wall?: WallClock;
  /** The name that faults for one sandbox give it; `default` by default. */
  readonly name?: string;
  /** Attacks the receiver of a destination when the control plane is asked to; by default it refuses. */
  readonly attack?: WebhookAttack;
}

/** The client's end of a connection. */
export interface Peer {
  /** Its IP address. */
  readonly address?: string;
}

/** An in-process backend that implements the whole API behind a fetch function. Shares nothing with other backends. */
export interface Backend extends BackendControls {
  /**
   * Responds to a request. Transport faults and an abort appear as they do in `fetch`: as a rejection, a wait or a broken body.
   * An aborted request that was not handled yet has no effect.
   */
  fetch(input: Request | URL | string, init?: RequestInit, peer?: Peer): Promise<Response>;
  /** Responds to a server, which plays transport faults itself. `url` is `request.url` by default. */
  handle(request: IncomingRequest, peer?: Peer, url?: URL): Promise<HandledResponse>;
  /**
   * Records a request that something in front of the backend answered, as `handle` records the others. One that it did not
   * accept (`gate`, 403) is announced as the event `request.refused`, and not in the journal.
   */
  record(request: RecordedRequest): void;
  /** Whether the state came from the store. */
  readonly isResumed: boolean;
  /** The seed of the ids: the option `prng`, or the one that was drawn. A state from the store keeps the seed that it began with. */
  readonly prng: number;
  /**
   * Stores what is not stored yet, freezes the clock and ends all event streams. If storing fails, `saved` rejects afterwards.
   * With a store, requests that change something are answered 500 from then on.
   */
  close(): void;
}

// The seed, policies and faults are validated where they are applied.
const objectWith = (...functions: readonly [string, string, ...string[]]) =>
  z.custom<Readonly<Record<string, unknown>>>(
    (value) => functions.every((name) => typeof Object(value)[name] === "function"),
    `must have the functions ${functions.slice(0, -1).join(", ")} and ${functions.at(-1)}`,
  );

const optionsSchema = z.strictObject({
  seed: z.unknown().optional(),
  now: z
    .union([z.number(), z.string(), z.date()], "must be milliseconds since the epoch, a Date or an ISO 8601 timestamp")
    .optional(),
  clock: z.enum(["frozen", "flowing"]).optional(),
  clockRate: z.number().optional(),
  prng: z.int().optional(),
  policies: z.unknown().optional(),
  faults: z.array(z.unknown()).optional(),
  scenarios: z.array(z.unknown()).optional(),
  fetch: z.custom((value) => typeof value === "function", "must be a function").optional(),
  forwardWebhooks: z
    .custom((value) => typeof value === "string" && isWebAddress(value), "must be an http or https URL")
    .optional(),
  controlPlane: z.boolean().optional(),
  store: objectWith("load", "commit", "close").optional(),
  wall: objectWith("now", "after").optional(),
  name: z.string().optional(),
  attack: z.custom((value) => typeof value === "function", "must be a function").optional(),
});

/** Creates a backend. Throws InputError naming the invalid option or field of the seed. */
export function createBackend(options: BackendOptions = {}): Backend {
  return assembleBackend(options, defaultParts);
}

/** The parts of a backend that tests and sandboxes replace. */
export interface Parts {
  readonly table: OperationTable;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** The sandboxes that the backend belongs to. */
  readonly sandboxes?: SandboxRegistry;
  /** Called when an event stream starts; the returned function is called when it ends. */
  readonly onFollow?: () => () => void;
}

export const defaultParts: Parts = { table: callTransferOperations, handlers: allHandlers };

/** A backend whose sandboxes announce events in it. */
export interface AssembledBackend extends Backend {
  readonly events: Events;
}

/** Composes a backend from its options and parts. */
export function assembleBackend(options: BackendOptions, parts: Parts): AssembledBackend {
  checkInput(optionsSchema, options);
  const core = createCore(options, parts);
  const { events, keeper } = core.world;
  const isResumed = begin(core, options);
  const record = createRecorder(core.journal, events, keeper);
  const { world, tokens, faults, journal } = core;
  const answerAndRecord = (recorder: Recorder) =>
    createAnswer({ world, tokens, faults, ...parts, requestIds: core.requestIds, record: recorder });
  const answer = answerAndRecord(record);
  const isForControl = ({ pathname }: URL): boolean =>
    options.controlPlane === true && pathname.startsWith(`${controlPrefix}/`);
  const respond = async (request: IncomingRequest, peer: Peer | undefined, url: URL): Promise<HandledResponse> =>
    isForControl(url)
      ? { response: await serveControl(backend, parts.sandboxes, request, url, options.attack) }
      : answer(request, url, peer?.address);
  const backend: AssembledBackend = {
    ...createControls(core, options, parts),
    replay: createReplay(journal, record, answerAndRecord),
    rehearse: (id) =>
      rehearse(backend, id, () => assembleBackend({ seed: {} }, { table: parts.table, handlers: parts.handlers })),
    events,
    isResumed,
    prng: core.generators.seed,
    fetch: createFetch((request, peer?: Peer) => backend.handle(request, peer)),
    async handle(request, peer, url = new URL(request.url)) {
      if (keeper === undefined) return respond(request, peer, url);
      try {
        return await keeper.storing(() => respond(request, peer, url));
      } catch (error) {
        if (!(error instanceof NotStoredError)) throw error;
        const reply = isForControl(url) ? controlError : errorResponse;
        return { response: reply("internal_error", error.message) };
      }
    },
    record(request) {
      const entry = entryOf(request, core.world);
      // A page or a host that the server does not accept is no traffic of the app, and must not displace it.
      const isForeign = entry.decidedBy.step === "gate" && entry.status === 403;
      if (isForeign) events.emit("request.refused", () => ({ ...entry }));
      else record(entry, request);
    },
    close() {
      // First, so that the store holds a clock that flows.
      keeper?.close();
      stop(core);
      events.end();
    },
  };
  return backend;
}

/** Continues what the store holds, or begins with the initial state. Returns whether the store held anything. */
function begin(core: Core, options: BackendOptions): boolean {
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
function stop({ world: { clock, events, keeper }, deliveries }: Core): void {
  const end = (): void => {
    events.quietly(() => clock.set({ mode: "frozen" }));
    deliveries.giveUp();
  };
  if (keeper === undefined) end();
  else keeper.withoutNoting(end);
}

/** Loads the initial records and faults. */
function loadInitial({ world, faults }: Core, { seed = demoSeed, faults: initial = [] }: BackendOptions): void {
  under("seed", () => loadFirstSeed(world, seed));
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

function createControls(
  core: Core,
  options: BackendOptions,
  { table }: Parts,
): Omit<BackendControls, "replay" | "rehearse"> {
  const { world, tokens, faults, inbox, deliveries, transfers, journal } = core;
  const { state, clock, policies, events, expiries } = world;
  return {
    clock,
    state,
    collections: createCollections(world, transfers.followCalls),
    policies,
    faults,
    deliveries,
    inbox,
    transfers,
    keys: createKeys(world, tokens),
    journal,
    events,
    operations: table.operations,
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
    snapshot: ({ before } = {}) => (before === undefined ? takeSnapshot(core) : takeSnapshotBefore(core, before)),
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
    reset() {
      const goOn = beginTokens(core);
      events.quietly(() => reset(core, options));
      events.emit("sandbox.reset");
      applyScenarios(core, options);
      goOn();
    },
  };
}

function reset(core: Core, options: BackendOptions): void {
  const { world, faults, inbox, deliveries, journal } = core;
  clearState(world.state);
  world.clock.reset();
  Object.assign(world.policies, defaultPolicies(), structuredClone(options.policies));
  faults.restore({ last: 0, waiting: [] });
  inbox.clear();
  journal.clear();
  deliveries.clear();
  loadInitial(core, options);
}
