import { serveControl } from "./control/control.ts";
import type { BackendControls } from "./control/parts/controls.ts";
import type { SandboxRegistry } from "./control/parts/exchange.ts";
import { controlError } from "./control/parts/reply.ts";
import { createControls } from "./controls.ts";
import { type Core, createCore } from "./core.ts";
import { type AnswerRequest, createAnswer } from "./http/answer.ts";
import type { AnyHandler } from "./http/checks/exchange.ts";
import { callTransferOperations, type OperationTable } from "./http/checks/router.ts";
import { createRecorder, entryOf, type RecordedRequest, type Recorder } from "./http/journal/recorder.ts";
import { createReplay } from "./http/replay.ts";
import { errorResponse } from "./http/respond.ts";
import { createFetch } from "./http/transport/fetch.ts";
import { controlPrefix } from "./http/transport/paths.ts";
import { type HandleAt, type HandledResponse, type IncomingRequest, withUrl } from "./http/transport/transport.ts";
import { begin, stop } from "./lifecycle.ts";
import type { WorldClock } from "./model/clock.ts";
import type { Events } from "./model/events.ts";
import type { WorldState } from "./model/state.ts";
import type { Keeper } from "./model/state-writer.ts";
import { NotStoredError } from "./model/state-writer.ts";
import { type BackendOptions, checkBackendOptions } from "./options.ts";
import { handlers as allHandlers } from "./routes/index.ts";

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
   *
   * @internal
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

/** A backend with what sandboxes, in which they announce events, and tests need of it. */
export interface AssembledBackend extends Backend {
  readonly clock: WorldClock;
  readonly state: WorldState;
  readonly events: Events;
}

/** Creates the request handler for a recorder. */
const answersOf =
  ({ world, tokens, faults, stubs, randoms, requestIds }: Core, { elsewhere }: BackendOptions, parts: Parts) =>
  (record: Recorder): AnswerRequest => {
    // From the sequence of faults, so that stubs do not change the ids of other records.
    const newId = (): string => randoms.faults.uuid();
    const context = { world, tokens, faults, stubs, newId, requestIds, record, ...parts };
    return createAnswer(elsewhere === undefined ? context : { ...context, elsewhere });
  };

/** Composes a backend from its options and parts. */
export function assembleBackend(options: BackendOptions, parts: Parts): AssembledBackend {
  checkBackendOptions(options);
  const core = createCore(options, parts);
  const { events, keeper } = core.world;
  const isResumed = begin(core, options);
  const record = createRecorder(core.journal, events, keeper);
  const answerAndRecord = answersOf(core, options, parts);
  const answer = answerAndRecord(record);
  const isForControl = ({ pathname }: URL): boolean =>
    options.controlPlane === true && pathname.startsWith(`${controlPrefix}/`);
  const control = async (request: IncomingRequest, url: URL): Promise<HandledResponse> => ({
    response: await serveControl({ backend, sandboxes: parts.sandboxes }, request, url),
  });
  // Not asynchronous itself: a promise of a promise takes three turns more.
  const respond = (request: IncomingRequest, peer: Peer | undefined, url: URL): Promise<HandledResponse> =>
    isForControl(url) ? control(request, url) : answer(request, url, peer?.address);
  const respondStored = async (
    own: Keeper,
    request: IncomingRequest,
    peer: Peer | undefined,
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
  const handleAt: HandleAt<Peer> = (request, peer, url) =>
    keeper === undefined ? respond(request, peer, url) : respondStored(keeper, request, peer, url);
  const backend: AssembledBackend = {
    ...createControls(core, options, parts.table.operations),
    replay: createReplay(core.journal, record, answerAndRecord),
    events,
    isResumed,
    prng: core.generators.seed,
    fetch: createFetch((request, peer?: Peer) => backend.handle(request, peer)),
    handle: withUrl(handleAt),
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
