import type { ErrorCode } from "@call-transfer/spec";
import {
  type AssembledBackend,
  assembleBackend,
  type Backend,
  type BackendOptions,
  type ConnectionInfo,
  defaultParts,
} from "./backend.ts";
import { controlError, type ManagedSandboxes, type SandboxState } from "./control/exchange.ts";
import { sandboxState } from "./control/sandbox-handlers.ts";
import type { RecordedRequest } from "./http/request-log.ts";
import { errorResponse } from "./http/respond.ts";
import { controlPrefix, defaultSandbox, selectSandbox, unknownSandbox } from "./http/select-sandbox.ts";
import { createFetch, type HandleAt, type HandledResponse, type IncomingRequest, withUrl } from "./http/transport.ts";
import type { BackendEvent } from "./model/events.ts";
import type { SandboxStorage, StoredSandbox } from "./model/store.ts";
import { sandboxNameAdvice, sandboxNamePattern, sandboxNameRule } from "./utils/ids.ts";
import { InputError } from "./utils/input-error.ts";
import { errorMessage } from "./utils/values.ts";

/** The options of one sandbox. */
export type SandboxOptions = Omit<BackendOptions, "store">;

/** The options of each sandbox, and those of all together. */
export interface SandboxRegistryOptions extends SandboxOptions {
  /**
   * Keeps all sandboxes beyond the end of the process, with their names and the options of `create` as JSON, which has no
   * functions; by default they are in memory only. `close` of the sandboxes closes it.
   */
  readonly stores?: SandboxStorage;
  /** Whether a request to an unknown sandbox creates it; false by default. */
  readonly autoSandboxes?: boolean;
  /** The maximum number of sandboxes, including `default`; an integer from 1, 1000 by default. */
  readonly maxSandboxes?: number;
}

/** Named backends that share nothing. */
export interface SandboxRegistry {
  /**
   * Responds to a request in the sandbox that it selects: by the path prefix `/_sandbox/<name>` or by the header
   * `X-Sandbox`; otherwise in `default`. The server must answer CORS preflights itself, because they select no sandbox.
   * `url` is `request.url` by default; its path may be modified.
   */
  handle(request: IncomingRequest, peer?: ConnectionInfo, url?: URL): Promise<HandledResponse>;
  /** Responds to a request like `handle`. Transport faults and an abort appear as they do in `fetch`. */
  fetch(input: Request | URL | string, init?: RequestInit, peer?: ConnectionInfo): Promise<Response>;
  /**
   * Records a request that something in front of the sandboxes answered: in the sandbox that the request selects if it
   * exists, otherwise in `default`. Creates no sandbox.
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
   * returned function is called.
   *
   * @internal
   */
  follow(listener: SandboxListener): () => void;
  /** Stores what is not stored yet, freezes all clocks, and ends all event streams and the use of the stores. */
  close(): void;
}

/** Gets the events of every sandbox. */
export type SandboxListener = (sandbox: string, event: BackendEvent) => void;

/**
 * Creates sandboxes with these options for each of them, and continues those that `stores` has. The control plane is on. Throws
 * InputError that names the wrong option, and an Error that says why a stored sandbox cannot be loaded.
 */
export function createSandboxRegistry(options: SandboxRegistryOptions = {}): SandboxRegistry {
  checkOptions(options);
  const registry = new Registry(options);
  try {
    registry.defaultBackend();
    for (const stored of options.stores?.list() ?? []) if (stored.name !== defaultSandbox) registry.resume(stored);
  } catch (error) {
    registry.closeAll();
    throw error;
  }
  const handleAt: HandleAt<ConnectionInfo> = async (request, peer, url) => {
    const selected = findSandbox(request, url, registry, options);
    if ("refusal" in selected) return refuse(selected, request, url, registry);
    return selected.handle(request, peer, url);
  };
  const handle = withUrl(handleAt);
  return {
    handle,
    record(request) {
      const { name, path } = selectSandbox(request.url.pathname, request.headers);
      const backend = registry.get(name);
      if (backend === undefined) return registry.defaultBackend().record(request);
      const url = new URL(request.url);
      url.pathname = path;
      backend.record({ ...request, url });
    },
    fetch: createFetch(handle),
    get default() {
      return registry.defaultBackend();
    },
    get: (name) => registry.get(name),
    create: (name, own) => registry.create(name, own),
    delete: (name) => registry.delete(name),
    list: () => registry.list(),
    follow: (listener) => registry.follow(listener),
    close: () => registry.close(),
  };
}

/** Responds to a request that selects no sandbox, and records it in `default`. */
function refuse(
  { path, code, refusal }: Refusal,
  { method, headers }: IncomingRequest,
  url: URL,
  registry: Registry,
): HandledResponse {
  if (isControlPath(path)) return { response: controlError(code, refusal) };
  const response = errorResponse(code, refusal);
  const { status, headers: responseHeaders } = response;
  const requestId = responseHeaders.get("x-request-id") ?? "";
  const decidedBy = { step: "server", detail: refusal } as const;
  registry
    .defaultBackend()
    .record({ method, url, headers, code, status, durationMs: 0, requestId, responseHeaders, decidedBy });
  return { response };
}

function checkOptions({ autoSandboxes = false, maxSandboxes = 1 }: SandboxRegistryOptions): void {
  if (typeof autoSandboxes !== "boolean") throw new InputError("autoSandboxes", "must be true or false");
  if (!(Number.isSafeInteger(maxSandboxes) && maxSandboxes > 0))
    throw new InputError("maxSandboxes", "must be an integer from 1");
}

/** Why a request selects no sandbox. */
interface Refusal {
  /** The path without the prefix. */
  readonly path: string;
  readonly code: ErrorCode;
  readonly refusal: string;
}

/** Finds or creates the sandbox of a request and removes the prefix from the path. */
function findSandbox(
  { headers }: IncomingRequest,
  url: URL,
  registry: Registry,
  { autoSandboxes = false }: SandboxRegistryOptions,
): Backend | Refusal {
  const { name, path, conflict } = selectSandbox(url.pathname, headers);
  if (isSandboxesPath(path)) {
    url.pathname = path;
    return registry.defaultBackend();
  }
  if (conflict !== undefined) return { path, code: "bad_request", refusal: conflict };
  const known = registry.get(name);
  if (known === undefined && (!autoSandboxes || !sandboxNamePattern.test(name)))
    return { path, code: "not_found", refusal: unknownSandbox(name, registry.list()) };
  const limitError = known === undefined ? registry.limitError() : undefined;
  if (limitError !== undefined) return { path, code: "not_found", refusal: `T${limitError.slice(1)}.` };
  let backend = known;
  try {
    backend ??= registry.create(name);
  } catch (error) {
    // Such as a full disk.
    return { path, code: "internal_error", refusal: `Sandbox "${name}" could not be created: ${errorMessage(error)}` };
  }
  if (path !== url.pathname) url.pathname = path;
  return backend;
}

function isControlPath(path: string): boolean {
  return path.startsWith(`${controlPrefix}/`);
}

/** Whether a request lists, creates or deletes sandboxes. It may name one that does not exist, so that a proxy can route it. */
function isSandboxesPath(path: string): boolean {
  return path === `${controlPrefix}/sandboxes` || path.startsWith(`${controlPrefix}/sandboxes/`);
}

/** The sandboxes of `createSandboxRegistry`, without the requests to them. */
class Registry implements ManagedSandboxes {
  readonly #backends = new Map<string, AssembledBackend>();
  readonly #followers = new Set<Follower>();
  readonly #maxSandboxes: number;
  readonly #stores: SandboxStorage | undefined;
  /** The options of each sandbox. */
  readonly #common: SandboxOptions;

  constructor(
    // A limit, because a loop over names must not fill a server that creates sandboxes on demand.
    { autoSandboxes: _, maxSandboxes = 1000, stores, ...common }: SandboxRegistryOptions,
  ) {
    this.#maxSandboxes = maxSandboxes;
    this.#stores = stores;
    this.#common = common;
  }

  /** The sandbox that always exists. */
  defaultBackend(): Backend {
    return this.get(defaultSandbox) ?? this.create(defaultSandbox);
  }

  get(name: string): Backend | undefined {
    return this.#backends.get(name);
  }

  list(): readonly string[] {
    return [...this.#backends.keys()];
  }

  describe(name: string): SandboxState | undefined {
    const backend = this.#backends.get(name);
    return backend && sandboxState(backend);
  }

  /** The error message if no further sandbox can be created; starts in lower case, without a full stop. */
  limitError(): string | undefined {
    return this.#backends.size < this.#maxSandboxes ? undefined : limitReached(this.#maxSandboxes);
  }

  create(name: string, own: SandboxOptions = {}): Backend {
    if (!sandboxNamePattern.test(name))
      throw new InputError("name", `${sandboxNameRule}.${sandboxNameAdvice(String(name))}`);
    if (this.#backends.has(name))
      throw new InputError("name", `sandbox "${name}" already exists. Delete it first, or choose another name.`);
    const limitError = this.limitError();
    if (limitError !== undefined) throw new InputError("name", limitError);
    if (name === defaultSandbox) return this.#add(name, own);
    let backend: Backend;
    try {
      backend = this.#add(name, own);
    } catch (error) {
      this.#stores?.delete(name);
      throw error;
    }
    this.#announce("sandbox.created", name);
    return backend;
  }

  /** Opens a stored sandbox. */
  resume({ name, options }: StoredSandbox): void {
    try {
      this.#add(name, JSON.parse(options));
    } catch (error) {
      throw new Error(`Sandbox "${name}": ${errorMessage(error)}`, { cause: error });
    }
  }

  delete(name: string): boolean {
    if (name === defaultSandbox)
      throw new InputError("name", `sandbox "${defaultSandbox}" cannot be deleted. Reset it instead.`);
    return this.#backends.has(name) && this.#remove(name);
  }

  copy(): Uint8Array | undefined {
    return this.#stores?.copy?.();
  }

  follow(listener: SandboxListener): () => void {
    const follower: Follower = { listener, stops: new Map() };
    this.#followers.add(follower);
    for (const [name, backend] of this.#backends) followOne(follower, name, backend);
    return () => {
      this.#followers.delete(follower);
      for (const stop of follower.stops.values()) stop();
    };
  }

  /** Closes all sandboxes, but not what stores them. */
  closeAll(): void {
    for (const backend of this.#backends.values()) backend.close();
  }

  close(): void {
    this.closeAll();
    this.#stores?.close();
  }

  #announce(type: string, name: string): void {
    this.#backends.get(defaultSandbox)?.events.emit(type, { name });
  }

  #add(name: string, own: SandboxOptions): Backend {
    // Functions among the options are not stored.
    const store = this.#stores?.open(name, JSON.stringify(own));
    const policies = { ...this.#common.policies, ...own.policies };
    let backend: AssembledBackend;
    try {
      backend = assembleBackend(
        { ...this.#common, ...own, controlPlane: true, policies, ...(store && { store }) },
        { ...defaultParts, sandboxes: this },
      );
    } catch (error) {
      store?.close();
      throw error;
    }
    for (const follower of this.#followers) followOne(follower, name, backend);
    this.#backends.set(name, backend);
    return backend;
  }

  #remove(name: string): boolean {
    const stored = this.#stores?.list().find((one) => one.name === name);
    this.#backends.get(name)?.close();
    const isRemoved = this.#backends.delete(name);
    try {
      this.#stores?.delete(name);
    } catch (error) {
      // It is still stored, so it stays.
      if (stored !== undefined) this.resume(stored);
      throw error;
    }
    this.#announce("sandbox.deleted", name);
    return isRemoved;
  }
}

/** A follower of all sandboxes, with what ends the following of each. */
interface Follower {
  readonly listener: SandboxListener;
  readonly stops: Map<string, () => void>;
}

function followOne({ listener, stops }: Follower, name: string, { events }: AssembledBackend): void {
  const options = { ended: () => void stops.delete(name) };
  stops.set(
    name,
    events.follow((event) => listener(name, event), options),
  );
}

function limitReached(limit: number): string {
  const remedies =
    "Delete one with call-transfer-mock sandbox delete NAME (operation deleteSandbox), or raise the limit (--max-sandboxes, maxSandboxes)";
  return `the limit of ${limit} sandbox${limit === 1 ? "" : "es"} is reached. ${remedies}`;
}
