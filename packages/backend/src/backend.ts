import { z } from "zod";
import { createTokens } from "./authenticate.ts";
import { type Clock, type ClockMode, createClock, parseTime, type WallClock } from "./clock.ts";
import { type Contract, callTransferContract } from "./contract.ts";
import { control, controlPrefix } from "./control.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { demoSeed } from "./demo-seed.ts";
import { dispatch } from "./dispatch.ts";
import type { AnyHandler, World } from "./exchange.ts";
import { createFaults, type Faults } from "./faults.ts";
import { handlers as allHandlers } from "./handlers.ts";
import { checkInput } from "./input-error.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createKeys, type Keys } from "./keys.ts";
import { loadSeed } from "./load-seed.ts";
import { checkPolicies, defaultPolicies, type Policies } from "./policies.ts";
import { createRandom } from "./random.ts";
import type { Sandboxes } from "./sandboxes.ts";
import type { Seed } from "./seed.ts";
import { clearState, createState, type State } from "./state.ts";
import { asFetched, type Handled } from "./transport.ts";

export interface BackendOptions {
  /** What it knows at its start; `demoSeed` by default. */
  readonly seed?: Seed;
  /** Where its clock starts: milliseconds, a Date or an ISO 8601 text; 2026-03-02T12:00:00Z by default. */
  readonly now?: string | number | Date;
  /** Whether time stands until it is moved, or follows the wall clock; `frozen` by default. */
  readonly clock?: ClockMode;
  /** Seed of the random generator, an integer; 1 by default. */
  readonly prng?: number;
  /** Changes to the default policies. */
  readonly policies?: Partial<Policies>;
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
  handle(request: Request, peer?: Peer, url?: URL): Promise<Handled>;
  readonly clock: Clock;
  /** What the backend knows, as plain Maps. */
  readonly state: State;
  /** Read when they are used; change them in place. */
  readonly policies: Policies;
  readonly faults: Faults;
  readonly deliveries: Deliveries;
  readonly keys: Keys;
  readonly journal: Journal;
  /** Adds to the state. Throws InputError that names the bad field, and then adds nothing. */
  seed(seed: Seed): void;
  /** Back to how the backend was created: state, clock, policies, faults, journal, deliveries, random generator. */
  reset(): void;
  /** Freezes the clock and ends the event streams. */
  close(): void;
}

const anything = z.unknown().optional();
// What is only passed on is checked where it is used.
const optionsSchema = z.strictObject({
  seed: anything,
  now: anything,
  clock: z.enum(["frozen", "flowing"]).optional(),
  prng: z.int().optional(),
  policies: anything,
  fetch: anything,
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
}

/** What every backend but those of tests is made of. */
export const defaultParts: Parts = { contract: callTransferContract, handlers: allHandlers };

/** Puts a backend together: the only composition. */
export function assembleBackend(options: BackendOptions, { contract, handlers, wall }: Parts): Backend {
  checkInput(optionsSchema, options, "options");
  const { seed = demoSeed, prng = 1, controlPlane = false } = options;
  checkPolicies(options.policies ?? {});
  // Request ids have a sequence of their own, so that a read does not change the ids of what is created later.
  const [random, requestIds] = [createRandom(prng), createRandom(~prng)];
  const world: World = {
    state: createState(),
    clock: createClock(parseTime("now", options.now ?? defaultStart), options.clock, wall),
    random,
    policies: { ...defaultPolicies(), ...structuredClone(options.policies) },
  };
  const tokens = createTokens(random.bytes(32));
  const faults = createFaults(contract.knows);
  const journal = createJournal();
  const deliveries = createDeliveries(world, (url, init) => (options.fetch ?? globalThis.fetch)(url, init));
  const keys = createKeys(world, tokens);
  const dispatcher = { world, contract, handlers, tokens, faults };
  loadSeed(world, seed);

  const backend: Backend = {
    clock: world.clock,
    state: world.state,
    policies: world.policies,
    faults,
    deliveries,
    keys,
    journal,
    async fetch(input, init, peer) {
      init?.signal?.throwIfAborted();
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      return asFetched(await backend.handle(request, peer), init?.signal ?? request.signal);
    },
    async handle(request, peer, url = new URL(request.url)) {
      if (controlPlane && url.pathname.startsWith(`${controlPrefix}/`))
        return { response: await control(backend, request, url) };
      const requestId = requestIds.uuid();
      await world.clock.runDue();
      const at = world.clock.iso();
      const { response, ...about } = await dispatch(dispatcher, request, url, requestId, peer?.address);
      journal.add({ at, method: request.method, path: url.pathname, status: response.status, requestId, ...about });
      return { response };
    },
    seed: (more) => loadSeed(world, more),
    reset() {
      clearState(world.state);
      world.clock.reset();
      random.reset();
      // The tokens' key is drawn first, so that tokens issued before stay good.
      random.bytes(32);
      requestIds.reset();
      Object.assign(world.policies, defaultPolicies(), structuredClone(options.policies));
      faults.clear();
      journal.clear();
      deliveries.clear();
      loadSeed(world, seed);
    },
    close() {
      world.clock.set({ mode: "frozen" });
    },
  };
  return backend;
}
