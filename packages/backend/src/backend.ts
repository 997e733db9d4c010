import type { OperationDescription } from "@call-transfer/spec";
import { z } from "zod";
import { control } from "./control/control.ts";
import { controlPrefix } from "./control/reply.ts";
import { createFaults, type Fault, type Faults } from "./faults/faults.ts";
import { createTokens } from "./http/authenticate.ts";
import { createDates, dispatch } from "./http/dispatch.ts";
import type { AnyHandler } from "./http/exchange.ts";
import { createJournal, type Journal } from "./http/journal.ts";
import { withoutCredentials } from "./http/redact.ts";
import { type Contract, callTransferContract } from "./http/router.ts";
import { type Asked, asFetched, type Handled, LazyAnswer } from "./http/transport.ts";
import { type Clock, type ClockMode, createClock, parseTime, type Step, type WallClock } from "./model/clock.ts";
import { type BackendEvent, createEvents, type Events } from "./model/events.ts";
import { checkInput, under } from "./model/input-error.ts";
import { checkPolicies, defaultPolicies, type Policies } from "./model/policies.ts";
import { createRandom } from "./model/random.ts";
import { clearState, createState, type State } from "./model/state.ts";
import type { World } from "./model/world.ts";
import { drainQueue } from "./platform/calls.ts";
import { createDeliveries, type Deliveries } from "./platform/deliveries.ts";
import { createInbox, type Inbox, isInbox } from "./platform/inbox.ts";
import { createTransfers, type Transfers } from "./platform/transfers.ts";
import { advance, type Upcoming, upcoming } from "./platform/upcoming.ts";
import { handlers as allHandlers } from "./routes/index.ts";
import type { Sandboxes } from "./sandboxes.ts";
import { type Collections, createCollections } from "./testing/collections.ts";
import { demoSeed } from "./testing/demo-seed.ts";
import { createKeys, type Keys } from "./testing/keys.ts";
import { loadFirstSeed, loadSeed } from "./testing/load-seed.ts";
import type { Seed } from "./testing/seed.ts";
import { restoreSnapshot, type Snapshot, takeSnapshot } from "./testing/snapshot.ts";

export interface BackendOptions {
  /** What it knows at its start; `demoSeed` by default. */
  readonly seed?: Seed;
  /**
   * Where its clock starts, and starts again at a reset: milliseconds, a Date or an ISO 8601 text. By default
   * 2026-03-02T12:00:00Z, and the real time of that moment for a clock that flows.
   */
  readonly now?: string | number | Date;
  /** Whether time stands until it is moved, or follows the wall clock; `frozen` by default. */
  readonly clock?: ClockMode;
  /**
   * Seed of the random generator, an integer; 1 by default. Backends of the same seed sign access tokens with the same key,
   * so that a run can be repeated: none of them keeps anything secret.
   */
  readonly prng?: number;
  /** Changes to the default policies. */
  readonly policies?: Partial<Policies>;
  /** Faults that are there from the start, and again after a reset; none by default. */
  readonly faults?: readonly Fault[];
  /** Sends webhook deliveries; by default the global fetch, looked up at each delivery. */
  readonly fetch?: typeof globalThis.fetch;
  /** Whether `/_control/v1` is served; false by default. */
  readonly controlPlane?: boolean;
}

/** The address that a caller connects from. */
export interface Peer {
  readonly address?: string;
}

/** A reference backend: all of the API's behaviour behind one fetch function. Shares nothing with any other. */
export interface Backend {
  /** Answers a request; a transport fault shows as it does in `fetch`. */
  fetch(input: Request | URL | string, init?: RequestInit, peer?: Peer): Promise<Response>;
  /** The same for a server, which plays transport faults itself. `url` is the request's own unless given. */
  handle(request: Asked, peer?: Peer, url?: URL): Promise<Handled>;
  readonly clock: Clock;
  /** Moves the clock as `clock.advance` does, and answers what happened; `nextTimer` also stops where a status or a secret ends. */
  advance(step: Step): Promise<readonly BackendEvent[]>;
  /** What time will bring, soonest first. */
  upcoming(): readonly Upcoming[];
  /** What the backend knows, as plain Maps. */
  readonly state: State;
  /** The same record by record in the form of a seed, checked when edited. */
  readonly collections: Collections;
  /** Read when they are used; change them in place. */
  readonly policies: Policies;
  /** Changes policies and answers all of them. Throws InputError that names the bad one, and then changes none. */
  changePolicies(changes: object): Record<keyof Policies, unknown>;
  readonly faults: Faults;
  readonly deliveries: Deliveries;
  /** The built-in receiver of webhooks. */
  readonly inbox: Inbox;
  readonly transfers: Transfers;
  readonly keys: Keys;
  readonly journal: Journal;
  readonly events: Pick<Events, "follow">;
  /** The operations that it answers. */
  readonly operations: readonly OperationDescription[];
  /** Adds to the state. Throws InputError that names the bad field, and then adds nothing. */
  seed(seed: Seed): void;
  /** All that decides how it goes on, as JSON; holds secrets. */
  snapshot(): Snapshot;
  /** Goes on from a snapshot; apps that still ring get their offers again. Throws InputError that names the bad field, and then changes nothing. */
  restore(snapshot: unknown): void;
  /** Back to how the backend was created: state, clock, policies, faults, journal, deliveries, random generator. */
  reset(): void;
  /** Freezes the clock and ends the event streams. */
  close(): void;
}

// A seed, policies and faults are checked where they are used.
const optionsSchema = z.strictObject({
  seed: z.unknown().optional(),
  now: z.union([z.number(), z.string(), z.date()], "must be milliseconds, a Date or an ISO 8601 text").optional(),
  clock: z.enum(["frozen", "flowing"]).optional(),
  prng: z.int().optional(),
  policies: z.unknown().optional(),
  faults: z.array(z.unknown()).optional(),
  fetch: z.custom((value) => typeof value === "function", "must be a function").optional(),
  controlPlane: z.boolean().optional(),
});

const defaultStart = "2026-03-02T12:00:00Z";

/** Creates a reference backend. Throws InputError that names the bad option or field of the seed. */
export function createBackend(options: BackendOptions = {}): Backend {
  return assembleBackend(options, defaultParts);
}

/** What a backend is made of besides its options; tests put other parts in. */
export interface Parts {
  readonly contract: Contract;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly wall?: WallClock;
  /** The sandboxes that it is one of. */
  readonly sandboxes?: Sandboxes;
  /** Hears of each following of its events; what it answers is called when that is over. */
  readonly onFollow?: () => () => void;
}

/** What every backend but those of tests is made of. */
export const defaultParts: Parts = { contract: callTransferContract, handlers: allHandlers };

/** Puts a backend together: the only composition. */
export function assembleBackend(
  options: BackendOptions,
  { contract, handlers, wall, sandboxes, onFollow }: Parts,
): Backend {
  checkInput(optionsSchema, options);
  const { seed = demoSeed, prng = 1, controlPlane = false, faults: firstFaults = [] } = options;
  under("policies", () => checkPolicies(options.policies ?? {}));
  // Sequences of their own, so that a read or a fault does not change the ids of what is created later.
  const randoms = { main: createRandom(prng), requestIds: createRandom(~prng), faults: createRandom(prng ^ (1 << 16)) };
  const { main: random, requestIds } = randoms;
  const start = options.now ?? (options.clock === "flowing" ? undefined : defaultStart);
  const clock = createClock(start === undefined ? undefined : parseTime("now", start), options.clock, wall);
  const events = createEvents(clock, onFollow);
  const world: World = {
    state: createState(),
    clock,
    random,
    policies: { ...defaultPolicies(), ...structuredClone(options.policies) },
    events,
  };
  const tokens = createTokens(random.bytes(32));
  const faults = createFaults(randoms.faults, contract);
  const journal = createJournal(contract.operations);
  const inbox = createInbox(clock, world.policies);
  const deliveries = createDeliveries(world, (url, init) =>
    isInbox(url) ? inbox.receive(init) : (options.fetch ?? globalThis.fetch)(url, init),
  );
  const transfers = createTransfers(world, deliveries);
  const kept = { world, randoms, tokens, faults, inbox, transfers };
  const dispatcher = { world, contract, handlers, tokens, faults, dateOf: createDates() };
  const begin = () => {
    under("seed", () => loadFirstSeed(world, seed));
    for (const [index, fault] of firstFaults.entries()) under(`faults[${index}]`, () => faults.add(fault));
  };
  begin();

  const backend: Backend = {
    clock,
    state: world.state,
    collections: createCollections(world, transfers.followCalls),
    policies: world.policies,
    faults,
    deliveries,
    inbox,
    transfers,
    keys: createKeys(world, tokens),
    journal,
    events,
    operations: contract.operations,
    advance: (step) => advance(world, step),
    upcoming: () => upcoming(world),
    async fetch(input, init, peer) {
      init?.signal?.throwIfAborted();
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      return asFetched(await backend.handle(request, peer), init === undefined ? request.signal : init.signal);
    },
    async handle(request, peer, url = new URL(request.url)) {
      if (controlPlane && url.pathname.startsWith(`${controlPrefix}/`))
        return { response: await control(backend, sandboxes, request, url) };
      const requestId = requestIds.uuid();
      await clock.runDue();
      const at = clock.iso();
      const { answer, transport, text, body, ...about } = await dispatch(
        dispatcher,
        request,
        url,
        requestId,
        peer?.address,
      );
      const status = transport === undefined || transport.kind === "truncate" ? answer.status : 0;
      const entry = journal.add(
        { at, method: request.method, path: withoutCredentials(url.pathname), status, requestId, ...about },
        { url, headers: request.headers, body, answer: text },
      );
      if (events.isFollowed) events.emit("request", { ...entry, id: String(entry.id) });
      const handled = answer instanceof Response ? { response: answer } : new LazyAnswer(answer);
      return transport === undefined ? handled : { response: handled.response, transport };
    },
    changePolicies(changes) {
      checkPolicies(changes);
      Object.assign(world.policies, structuredClone(changes));
      // A limit that was raised lets those who wait go on at once.
      for (const accountId of world.state.accounts.keys()) drainQueue(world, accountId, clock.now());
      events.emit("policies.changed", changes as Record<string, unknown>);
      return { ...world.policies };
    },
    seed: (more) => loadSeed(world, more),
    snapshot: () => takeSnapshot(kept),
    restore(snapshot) {
      restoreSnapshot(kept, snapshot);
      journal.clear();
      deliveries.clear();
      transfers.resend();
      events.emit("sandbox.restored");
    },
    reset() {
      clearState(world.state);
      clock.reset();
      for (const one of Object.values(randoms)) one.reset();
      // Drawn first, so that tokens issued before stay good.
      tokens.secret = random.bytes(32);
      Object.assign(world.policies, defaultPolicies(), structuredClone(options.policies));
      faults.restore({ last: 0, waiting: [] });
      inbox.clear();
      journal.clear();
      deliveries.clear();
      begin();
      events.emit("sandbox.reset");
    },
    close() {
      clock.set({ mode: "frozen" });
      events.end();
    },
  };
  return backend;
}
