import type { Backend, Peer } from "./backend.ts";
import type { RecordedRequest } from "./http/journal/recorder.ts";
import type { HandledResponse, IncomingRequest } from "./http/transport/transport.ts";
import type { BackendEvent } from "./model/events.ts";
import type { SandboxStores } from "./model/store.ts";
import type { BackendOptions } from "./options.ts";

/** The options of one sandbox. */
export type SandboxOptions = Omit<BackendOptions, "store" | "name">;

/** The options of each sandbox, and those of all together. */
export interface SandboxesOptions extends SandboxOptions {
  /**
   * Keeps all sandboxes beyond the end of the process, with their names and the options of `create` as JSON, which has no
   * functions; by default they are in memory only. `close` of the sandboxes closes it.
   */
  readonly stores?: SandboxStores;
  /** Whether a request to an unknown sandbox creates it; false by default. */
  readonly autoSandboxes?: boolean;
  /** The maximum number of sandboxes, including `default`; an integer from 1, 1000 by default. */
  readonly maxSandboxes?: number;
  /**
   * Milliseconds of real time without a request after which a sandbox is closed and removed; never by default. `default` is
   * never removed. Requests in flight and open event streams keep a sandbox; ringing transfers and calls in progress do not,
   * because they last as long as the sandbox's own clock says. Only requests through `handle` and `fetch` count.
   */
  readonly sandboxIdleMs?: number;
}

/** Named backends that share nothing. */
export interface Sandboxes {
  /**
   * Responds to a request in the sandbox that it selects: by the path prefix `/_sandbox/<name>` or by the header
   * `X-Sandbox`; otherwise in `default`. The server must answer CORS preflights itself, because they select no sandbox.
   * `url` is `request.url` by default; its path may be modified.
   */
  handle(request: IncomingRequest, peer?: Peer, url?: URL): Promise<HandledResponse>;
  /** Responds to a request like `handle`. Transport faults and an abort appear as they do in `fetch`. */
  fetch(input: Request | URL | string, init?: RequestInit, peer?: Peer): Promise<Response>;
  /**
   * Records a request that something in front of the sandboxes answered: in the sandbox that the request selects if it
   * exists, otherwise in `default`. Creates no sandbox and does not count as use.
   *
   * @internal
   */
  record(request: RecordedRequest): void;
  /** The sandbox that always exists. */
  readonly default: Backend;
  /** Returns the sandbox with this name, or undefined. */
  get(name: string): Backend | undefined;
  /** Creates a sandbox; omitted options are those of `default`. Throws InputError naming the invalid field. */
  create(name: string, options?: SandboxOptions): Backend;
  /** Deletes a sandbox and ends its event streams; false if none has this name. Throws InputError for `default`. */
  delete(name: string): boolean;
  /** Lists the names, in the order of creation. */
  list(): readonly string[];
  /**
   * Calls `listener` with the name of the sandbox for each event of every sandbox, also of those created later, until the
   * returned function is called. Keeps no idle sandbox.
   */
  follow(listener: SandboxListener): () => void;
  /** Stores what is not stored yet, freezes all clocks, and ends all event streams and the use of the stores. */
  close(): void;
}

/** Gets the events of every sandbox. */
export type SandboxListener = (sandbox: string, event: BackendEvent) => void;
