import type { OperationDescription } from "@call-transfer/spec";
import * as z from "zod";
import { serveControl } from "./control/control.ts";
import type { BackendControls } from "./control/controls.ts";
import { controlError, type ManagedSandboxes } from "./control/exchange.ts";
import { CheckedCollections } from "./data/collections.ts";
import { createCredentials } from "./data/credentials.ts";
import { demoSeed } from "./data/demo-seed.ts";
import { type Core, continueWork, keepCore } from "./data/load-sandbox.ts";
import { loadFirstSeed, loadSeed } from "./data/load-seed.ts";
import { applyScenario, type ScenarioName } from "./data/scenarios.ts";
import { restoreSnapshot, takeSnapshot } from "./data/snapshot.ts";
import type { Fault } from "./faults/fault.ts";
import { createFaults } from "./faults/faults.ts";
import type { Stub } from "./generated/models.gen.ts";
import { createTokens } from "./http/authenticate.ts";
import type { AnyHandler, AskElsewhere } from "./http/exchange.ts";
import { type AnswerRequest, createAnswer, createReplay } from "./http/handle-api-request.ts";
import { createRecorder, createRequestLog, entryOf, type RecordedRequest, type Recorder } from "./http/request-log.ts";
import { errorResponse } from "./http/respond.ts";
import { callTransferOperations, type OperationTable } from "./http/router.ts";
import { controlPrefix } from "./http/select-sandbox.ts";
import { createStubs, noStubs } from "./http/stubs.ts";
import { createFetch, type HandleAt, type HandledResponse, type IncomingRequest, withUrl } from "./http/transport.ts";
import { ChangeLog } from "./model/change-log.ts";
import { type BackendClock, type Clock, checkRate, parseTime, systemClock, type WallClock } from "./model/clock.ts";
import { createEvents, type EventDetails, type Events } from "./model/events.ts";
import { checkPolicies, defaultPolicies, type Policies } from "./model/policies.ts";
import type { Seed } from "./model/records.ts";
import {
  advance,
  type BackendState,
  clearState,
  createState,
  Expiries,
  type IndexedState,
  upcomingTimers,
} from "./model/state.ts";
import { NotStoredError, StateWriter } from "./model/state-writer.ts";
import type { SandboxStore } from "./model/store.ts";
import { StoredTimers } from "./model/stored-parts.ts";
import { createClock } from "./model/virtual-clock.ts";
import { drainQueue } from "./platform/calls.ts";
import { SignedDeliveries } from "./platform/deliveries.ts";
import { checkedHeaders } from "./platform/delivery.ts";
import { createInbox } from "./platform/inbox.ts";
import { createTransfers } from "./platform/transfers.ts";
import { handlers as allHandlers } from "./routes.ts";
import { checkInput, withPathPrefix } from "./utils/input-error.ts";
import { createGenerators } from "./utils/random.ts";
import { isWebAddress } from "./utils/values.ts";

/** How a backend starts, and what it uses from outside. */
export interface BackendOptions {
  /** The initial records; `demoSeed` by default. */
  readonly seed?: Seed;
  /**
   * The clock's initial time, also after a reset: milliseconds since the epoch, a Date or an ISO 8601 timestamp. By default
   * 2026-03-02T12:00:00Z for a frozen clock, and the real time for a running one.
   */
  readonly now?: string | number | Date;
  /** `frozen` moves only on request, `running` follows the wall clock; `frozen` by default. */
  readonly clockMode?: Clock["mode"];
  /** How many seconds pass in one second of real time, while the clock runs: above 0, up to 10,000; 1 by default. */
  readonly clockRate?: number;
  /**
   * Seed of the ids that are created after the start, an integer. By default 1 for a frozen clock, so that runs repeat, and a
   * random one for a running clock, so that no event of a later run has the id of an earlier one. The ids and secrets that
   * `seed` leaves out do not depend on it, nor does the key that signs access tokens: all backends have the same key, so the
   * tokens protect nothing. With a `store`, the ids of requests do not depend on it either.
   */
  readonly randomSeed?: number;
  /** Changes to the default policies. */
  readonly policies?: Partial<Policies>;
  /** The initial faults, also after a reset; none by default. A text such as `createCall 503` is read by `parseFault`. */
  readonly faults?: readonly (Fault | string)[];
  /** The initial stubs, also after a reset: responses to requests that no operation matches; none by default. */
  readonly stubs?: readonly Stub[];
  /** The scenarios to apply at the start, in this order, also after a reset; none by default. */
  readonly scenarios?: readonly ScenarioName[];
  /** Sends webhook deliveries; by default the global fetch, looked up at each delivery. */
  readonly fetch?: typeof globalThis.fetch;
  /** URL to deliver all webhooks to, instead of the destinations' own; those to the built-in inbox still go there. */
  readonly forwardWebhooksTo?: string;
  /**
   * Headers by name that deliveries to the URL of `forwardWebhooksTo` have too, such as `Authorization` for a tunnel. They are
   * not part of what deliveries and events show. Those of the delivery itself, such as `Content-Type` and the signature,
   * cannot be replaced.
   */
  readonly forwardHeaders?: Readonly<Record<string, string>>;
  /** Whether to serve the control plane under `/_control/v1`; false by default. */
  readonly controlPlane?: boolean;
  /**
   * Keeps the state beyond the end of the process; by default it is in memory only. What the store holds comes back: seed,
   * clock, policies, faults, stubs and scenarios have no effect then, until a reset.
   */
  readonly store?: SandboxStore;
  /**
   * The source of real time; the system's clock by default.
   *
   * @internal
   */
  readonly wall?: WallClock;
  /**
   * Answers requests that no operation and no stub matches; by default they are answered 404.
   *
   * @internal
   */
  readonly elsewhere?: AskElsewhere;
}

// The seed, policies, faults, stubs and headers are validated where they are applied.
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
  clockMode: z.enum(["frozen", "running"]).optional(),
  clockRate: z.number().optional(),
  randomSeed: z.int().optional(),
  policies: z.unknown().optional(),
  faults: z.array(z.unknown()).optional(),
  stubs: z.array(z.unknown()).optional(),
  scenarios: z.array(z.unknown()).optional(),
  fetch: z.custom((value) => typeof value === "function", "must be a function").optional(),
  forwardWebhooksTo: z.custom(isWebAddress, "must be an http or https URL").optional(),
  forwardHeaders: z.unknown().optional(),
  controlPlane: z.boolean().optional(),
  store: objectWith("load", "commit", "close").optional(),
  wall: objectWith("now", "after").optional(),
  elsewhere: z.custom((value) => typeof value === "function", "must be a function").optional(),
});

/** The client's end of a connection. */
export interface ConnectionInfo {
  /** Its IP address. */
  readonly address?: string;
}

/** An in-process backend that implements the whole API behind a fetch function. Shares nothing with other backends. */
export interface Backend extends BackendControls {
  /**
   * Responds to a request. Transport faults and an abort appear as they do in `fetch`: as a rejection, a wait or a broken body.
   * An aborted request that was not handled yet has no effect.
   */
  fetch(input: Request | URL | string, init?: RequestInit, peer?: ConnectionInfo): Promise<Response>;
  /** Responds to a server, which plays transport faults itself. `url` is `request.url` by default. */
  handle(request: IncomingRequest, peer?: ConnectionInfo, url?: URL): Promise<HandledResponse>;
  /**
   * Records a request that something in front of the backend answered, as `handle` records the others. One that it did not
   * accept (`server`, 403) is announced as the event `request.rejected`, and not in the request log.
   *
   * @internal
   */
  record(request: RecordedRequest): void;
  /** Whether the state came from the store. */
  readonly resumed: boolean;
  /**
   * The seed of the ids: the option `randomSeed`, or the one that was drawn. A state from the store keeps the seed that it began
   * with.
   *
   * @internal
   */
  readonly randomSeed: number;
  /**
   * Stores what is not stored yet, freezes the clock and ends all event streams. If storing fails, `flush` rejects afterwards.
   * With a store, requests that change something are answered 500 from then on.
   */
  close(): void;
}

/** Creates a backend. Throws InputError naming the invalid option or field of the seed. */
export function createBackend(options: BackendOptions = {}): Backend {
  return assembleBackend(options, defaultParts);
}

/** The parts of a backend that tests and sandboxes replace. */
export interface Parts {
  readonly table: OperationTable;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** The sandboxes that the backend belongs to. */
  readonly sandboxes?: ManagedSandboxes;
}

export const defaultParts: Parts = { table: callTransferOperations, handlers: allHandlers };

/** A backend with what sandboxes, in which they announce events, and tests need of it. */
export interface AssembledBackend extends Backend {
  readonly clock: BackendClock;
  readonly state: IndexedState;
  readonly events: Events;
}

/** Composes a backend from its options and parts. */
export function assembleBackend(options: BackendOptions, parts: Parts): AssembledBackend {
  checkInput(optionsSchema, options);
  const core = createCore(options, parts);
  const { backend, tokens, faults, stubs, requestIds, requests } = core;
  const { events, writer } = backend;
  const { elsewhere } = options;
  const resumed = begin(core, options);
  const record = createRecorder(requests, events, writer);
  // From the sequence of faults, so that stubs do not change the ids of other records.
  const newId = (): string => core.generators.sequences.faults.uuid();
  const answerAndRecord = (recorder: Recorder): AnswerRequest =>
    createAnswer({ backend, tokens, faults, stubs, newId, requestIds, record: recorder, elsewhere, ...parts });
  const answer = answerAndRecord(record);
  const isForControl = ({ pathname }: URL): boolean =>
    options.controlPlane === true && pathname.startsWith(`${controlPrefix}/`);
  const control = async (request: IncomingRequest, url: URL): Promise<HandledResponse> => ({
    response: await serveControl({ backend: assembled, sandboxes: parts.sandboxes }, request, url),
  });
  // Not asynchronous itself: a promise of a promise takes three turns more.
  const respond = (request: IncomingRequest, peer: ConnectionInfo | undefined, url: URL): Promise<HandledResponse> =>
    isForControl(url) ? control(request, url) : answer(request, url, peer?.address);
  const respondAfterCommit = async (
    own: StateWriter,
    request: IncomingRequest,
    peer: ConnectionInfo | undefined,
    url: URL,
  ): Promise<HandledResponse> => {
    try {
      return await own.storing(() => respond(request, peer, url));
    } catch (error) {
      if (!(error instanceof NotStoredError)) throw error;
      const reply = isForControl(url) ? controlError : errorResponse;
      return { response: reply("internal_error", error.message) };
    }
  };
  const handleAt: HandleAt<ConnectionInfo> = (request, peer, url) =>
    writer === undefined ? respond(request, peer, url) : respondAfterCommit(writer, request, peer, url);
  const assembled: AssembledBackend = {
    ...createControls(core, options, parts.table.operations),
    replay: createReplay(requests, record, answerAndRecord),
    events,
    resumed,
    randomSeed: core.generators.seed,
    fetch: createFetch((request, peer?: ConnectionInfo) => assembled.handle(request, peer)),
    handle: withUrl(handleAt),
    record(request) {
      const entry = entryOf(request, backend);
      // A page or a host that the server does not accept is no traffic of the app, and must not displace it.
      const isForeign = entry.decidedBy.step === "server" && entry.status === 403;
      if (isForeign) events.emit("request.rejected", () => ({ ...entry }));
      else record(entry, request);
    },
    close() {
      // First, so that the store holds a clock that runs.
      writer?.close();
      stop(core);
      events.end();
    },
  };
  return assembled;
}

const defaultStart = "2026-03-02T12:00:00Z";

/** Creates the state of a backend and what acts on it, without any records. */
export function createCore(options: BackendOptions, { table }: { readonly table: OperationTable }): Core {
  withPathPrefix("policies", () => checkPolicies(options.policies ?? {}));
  if (options.clockRate !== undefined) checkRate("clockRate", options.clockRate);
  const { wall = systemClock, store } = options;
  const generators = createGenerators(options.randomSeed, options.clockMode);
  const randoms = generators.sequences;
  const writer = store === undefined ? undefined : new StateWriter(store, wall);
  const timers = writer && new StoredTimers(writer);
  const changes = new ChangeLog((): BackendState => backend, writer);
  const start = options.now ?? (options.clockMode === "running" ? undefined : defaultStart);
  const clock = createClock(start === undefined ? undefined : parseTime("now", start), {
    mode: options.clockMode,
    rate: options.clockRate,
    wall,
    watches: timers === undefined ? [changes] : [timers, changes],
    changed: changes.clockChanged,
    moved: timers?.moved,
  });
  const [state, events] = [createState(changes), createEvents(clock)];
  const backend = {
    state,
    clock,
    random: randoms.main,
    policies: { ...defaultPolicies(), ...structuredClone(options.policies) },
    events,
    expiries: new Expiries({ state, clock, events }),
    changes,
    writer,
  };
  const tokens = createTokens(new Uint8Array(32));
  const changed = writer && (() => writer.touch("faults"));
  const faults = createFaults(randoms.faults, table.operations, { events, changed });
  const stubs = createStubs(table, { events, changed: writer && (() => writer.touch("stubs")) });
  const inbox = createInbox(backend);
  const { fetch, forwardWebhooksTo: forwardTo } = options;
  const forwardHeaders = withPathPrefix("forwardHeaders", () => checkedHeaders(options.forwardHeaders, forwardTo));
  const deliveries = new SignedDeliveries(backend, faults, { inbox, fetch, forwardTo, forwardHeaders });
  const transfers = createTransfers(backend, deliveries);
  const requests = createRequestLog(table.operations, () => {
    events.emit("requests.cleared");
    writer?.plan("soon");
  });
  // None repeats after a restart.
  const requestIds = writer === undefined ? randoms.requestIds : { uuid: () => crypto.randomUUID() };
  const parts = { deliveries, transfers, requests };
  return { backend, generators, requestIds, timers, tokens, faults, stubs, inbox, ...parts };
}

/** Continues what the store holds, or begins with the initial state. Returns whether the store held anything. */
function begin(core: Core, options: BackendOptions): boolean {
  const { events, writer } = core.backend;
  try {
    const resumed = writer !== undefined && keepCore(core, writer);
    if (resumed) continueWork(core);
    else {
      const goOn = beginTokens(core);
      events.quietly(() => loadInitial(core, options));
      applyScenarios(core, options);
      goOn();
      writer?.flush();
    }
    return resumed;
  } catch (error) {
    // Otherwise a part of a sandbox would be stored.
    writer?.stop();
    stop(core);
    throw error;
  }
}

/** Ends what happens by itself. The store does not notice. */
function stop({ backend: { clock, events, writer }, deliveries }: Core): void {
  const end = (): void => {
    events.quietly(() => clock.set({ mode: "frozen" }));
    deliveries.cancel();
  };
  if (writer === undefined) end();
  else writer.withoutRecording(end);
}

function loadInitial({ backend, faults, stubs }: Core, options: BackendOptions): void {
  const { seed = demoSeed, faults: initial = [], stubs: initialStubs = [] } = options;
  withPathPrefix("seed", () => loadFirstSeed(backend, seed));
  for (const [index, stub] of initialStubs.entries()) withPathPrefix(`stubs[${index}]`, () => stubs.add(stub));
  for (const [index, fault] of initial.entries()) withPathPrefix(`faults[${index}]`, () => faults.add(fault));
  backend.expiries.restart();
}

/**
 * Begins the sequences of the initial state, of which the key of access tokens is the first value, so that tokens issued
 * earlier stay valid. The returned function goes on with the sequences of the seed.
 */
function beginTokens({ generators, tokens, backend }: Core): () => void {
  const goOn = generators.begin();
  tokens.secret = generators.sequences.main.bytes(32);
  backend.writer?.touch("tokenSecret");
  return goOn;
}

function applyScenarios(core: Core, { scenarios = [] }: BackendOptions): void {
  for (const [index, name] of scenarios.entries())
    withPathPrefix(`scenarios[${index}]`, () => applyScenario(core, name));
}

/** Goes back to the initial state. Scenarios are applied last, and announce their events. */
function reset(core: Core, options: BackendOptions): void {
  const { events } = core.backend;
  const goOn = beginTokens(core);
  events.quietly(() => clear(core, options));
  events.emit("sandbox.reset");
  applyScenarios(core, options);
  goOn();
}

function clear(core: Core, options: BackendOptions): void {
  const { backend, faults, stubs, inbox, deliveries, requests } = core;
  clearState(backend.state);
  backend.clock.reset();
  Object.assign(backend.policies, defaultPolicies(), structuredClone(options.policies));
  faults.restore({ last: 0, waiting: [] });
  stubs.prepare(noStubs)();
  inbox.clear();
  requests.clear();
  deliveries.clear();
  loadInitial(core, options);
}

/** Creates what tests read and change of a backend. */
function createControls(
  core: Core,
  options: BackendOptions,
  operations: readonly OperationDescription[],
): Omit<BackendControls, "replay" | "clock" | "state"> & Pick<BackendState, "clock" | "state"> {
  const { backend, tokens, faults, stubs, inbox, deliveries, transfers, requests } = core;
  const { state, clock, policies, events, expiries } = backend;
  return {
    clock,
    state,
    collections: new CheckedCollections(backend, transfers.followCalls),
    policies,
    faults,
    stubs,
    deliveries,
    inbox,
    transfers,
    credentials: createCredentials(backend, tokens),
    requests,
    events,
    operations,
    advance: (step) => advance(backend, step),
    upcomingTimers: () => upcomingTimers(backend),
    updatePolicies(changes) {
      checkPolicies(changes);
      Object.assign(policies, structuredClone(changes));
      backend.writer?.touch("policies");
      events.emit("policies.changed", structuredClone(changes) as EventDetails);
      // A higher limit starts queued calls at once.
      for (const accountId of state.accounts.keys()) drainQueue(backend, accountId, clock.now());
      return { ...policies };
    },
    applyScenario(name) {
      applyScenario(core, name);
      backend.writer?.touch("policies");
    },
    seed(more) {
      loadSeed(backend, more);
      expiries.refresh();
      events.emit("sandbox.seeded");
    },
    flush: async () => backend.writer?.allSaved(),
    snapshot: () => takeSnapshot(core),
    restore(snapshot) {
      events.quietly(() => {
        restoreSnapshot(core, snapshot);
        requests.clear();
        deliveries.clear();
      });
      backend.writer?.touch("tokenSecret");
      expiries.restart();
      events.emit("sandbox.restored");
      transfers.resend();
    },
    reset: () => reset(core, options),
  };
}
