import type { ErrorCode } from "@call-transfer/spec";
import type { Backend, BackendOptions, Peer } from "./backend.ts";
import { controlError } from "./control/parts/reply.ts";
import type { RecordedRequest } from "./http/journal/recorder.ts";
import { errorResponse } from "./http/respond.ts";
import { createFetch } from "./http/transport/fetch.ts";
import { controlPrefix } from "./http/transport/paths.ts";
import { defaultSandbox, selectSandbox, unknownSandbox } from "./http/transport/select-sandbox.ts";
import type { HandledResponse, IncomingRequest } from "./http/transport/transport.ts";
import { createIdleWatch } from "./idle.ts";
import type { BackendEvent } from "./model/changes/events.ts";
import { InputError } from "./model/errors/input-error.ts";
import type { SandboxStores } from "./model/storage/store.ts";
import { systemClock } from "./model/time/clock.ts";
import { sandboxNamePattern } from "./model/values/sandbox-name.ts";
import { createRegistry, type Registry } from "./sandbox-registry.ts";

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

/**
 * Creates sandboxes with these options for each of them, and continues those that `stores` has. The control plane is on. Throws
 * InputError that names the wrong option, and an Error that says why a stored sandbox cannot be loaded.
 */
export function createSandboxes(options: SandboxesOptions = {}): Sandboxes {
  checkOptions(options);
  const { wall = systemClock } = options;
  const idle = createIdleWatch(options.sandboxIdleMs, wall.now);
  const registry = createRegistry(options, idle);
  const defaultBackend = (): Backend => registry.get(defaultSandbox) ?? registry.create(defaultSandbox);
  try {
    defaultBackend();
    for (const stored of options.stores?.list() ?? []) if (stored.name !== defaultSandbox) registry.resume(stored);
  } catch (error) {
    registry.closeAll();
    throw error;
  }
  const handle = async (
    request: IncomingRequest,
    peer?: Peer,
    url = new URL(request.url),
  ): Promise<HandledResponse> => {
    const selected = findSandbox(request, url, registry, options);
    if ("refusal" in selected) {
      const { path, code, refusal } = selected;
      if (isControlPath(path)) return { response: controlError(code, refusal) };
      const response = errorResponse(code, refusal);
      defaultBackend().record({
        ...{ method: request.method, url, headers: request.headers, code, status: response.status, durationMs: 0 },
        ...{ requestId: response.headers.get("x-request-id") ?? "", responseHeaders: response.headers },
        decidedBy: { step: "gate", detail: refusal },
      });
      return { response };
    }
    const { name, backend } = selected;
    if (options.sandboxIdleMs === undefined) return backend.handle(request, peer, url);
    const end = idle.begin(name);
    try {
      return await backend.handle(request, peer, url);
    } finally {
      end();
    }
  };
  return {
    handle,
    record(request) {
      const { name, path } = selectSandbox(request.url.pathname, request.headers);
      const backend = registry.get(name);
      if (backend === undefined) return defaultBackend().record(request);
      const url = new URL(request.url);
      url.pathname = path;
      backend.record({ ...request, url });
    },
    fetch: createFetch(handle),
    get default() {
      return defaultBackend();
    },
    get: registry.get,
    create: registry.create,
    delete: registry.delete,
    list: registry.list,
    follow: registry.follow,
    close: registry.close,
  };
}

function checkOptions({ autoSandboxes = false, maxSandboxes = 1, sandboxIdleMs = 1 }: SandboxesOptions): void {
  if (typeof autoSandboxes !== "boolean") throw new InputError("autoSandboxes", "must be true or false");
  if (!(Number.isSafeInteger(maxSandboxes) && maxSandboxes > 0))
    throw new InputError("maxSandboxes", "must be an integer from 1");
  if (!(typeof sandboxIdleMs === "number" && sandboxIdleMs > 0))
    throw new InputError("sandboxIdleMs", "must be a number of milliseconds above 0");
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
  { autoSandboxes = false, sandboxIdleMs }: SandboxesOptions,
): { name: string; backend: Backend } | Refusal {
  const { name, path, conflict } = selectSandbox(url.pathname, headers);
  if (isSandboxesPath(path)) {
    url.pathname = path;
    return { name: defaultSandbox, backend: registry.get(defaultSandbox) ?? registry.create(defaultSandbox) };
  }
  if (conflict !== undefined) return { path, code: "bad_request", refusal: conflict };
  const known = registry.get(name);
  if (known === undefined && (!autoSandboxes || !sandboxNamePattern.test(name)))
    return { path, code: "not_found", refusal: unknownSandbox(name, registry.list(), expiryOf(sandboxIdleMs)) };
  const limitError = known === undefined ? registry.limitError() : undefined;
  if (limitError !== undefined) return { path, code: "not_found", refusal: `T${limitError.slice(1)}.` };
  let backend = known;
  try {
    backend ??= registry.create(name);
  } catch (error) {
    // Such as a full disk.
    const reason = error instanceof Error ? error.message : String(error);
    return { path, code: "internal_error", refusal: `Sandbox "${name}" could not be created: ${reason}` };
  }
  if (path !== url.pathname) url.pathname = path;
  return { name, backend };
}

function expiryOf(idleMs: number | undefined): string | undefined {
  return idleMs === undefined ? undefined : `Sandboxes are removed after ${idleMs / 1000} s without a request.`;
}

function isControlPath(path: string): boolean {
  return path.startsWith(`${controlPrefix}/`);
}

/** Whether a request lists, creates or deletes sandboxes. It may name one that does not exist, so that a proxy can route it. */
function isSandboxesPath(path: string): boolean {
  return path === `${controlPrefix}/sandboxes` || path.startsWith(`${controlPrefix}/sandboxes/`);
}
