import { assembleBackend, type Backend, type BackendOptions, defaultParts, type Peer } from "./backend.ts";
import { controlFailure, controlPrefix, sandboxPrefix } from "./control/reply.ts";
import { refuse } from "./http/dispatch.ts";
import { type Asked, asFetched, type Handled } from "./http/transport.ts";
import { createIdleWatch } from "./idle.ts";
import { systemClock, type WallClock } from "./model/clock.ts";
import { InputError } from "./model/input-error.ts";

export interface SandboxesOptions extends BackendOptions {
  /** Whether a request that names an unknown sandbox creates it; false by default. */
  readonly autoSandboxes?: boolean;
  /** How many sandboxes there may be, `default` included; a whole number from 1, 1000 by default. */
  readonly maxSandboxes?: number;
  /**
   * After how many milliseconds of real time without a request a sandbox other than `default` is closed and removed; never by
   * default. A request that waits for its answer and a followed event stream are use; a transfer that rings and a call in
   * progress are none, since they last as long as the sandbox's own clock makes them. Requests that reach a sandbox's backend
   * past `handle` and `fetch` are not seen.
   */
  readonly sandboxIdleMs?: number;
}

/** Backends side by side that share nothing, each under its name. */
export interface Sandboxes {
  /**
   * Answers a request in the sandbox that it names: by the path prefix `/_sandbox/<name>`, by the header `X-Sandbox`, or
   * not at all, which means `default`. Preflights belong to the server: they name no sandbox. `url` is the request's own
   * unless given; it may be changed.
   */
  handle(request: Asked, peer?: Peer, url?: URL): Promise<Handled>;
  /** The same as a fetch function; transport faults show as they do in `fetch`. */
  fetch(input: Request | URL | string, init?: RequestInit, peer?: Peer): Promise<Response>;
  /** The sandbox that is always there. */
  readonly default: Backend;
  get(name: string): Backend | undefined;
  /** Creates a sandbox; what `options` leaves out is as in `default`. Throws InputError that names the bad field. */
  create(name: string, options?: Partial<BackendOptions>): Backend;
  /** Deletes a sandbox and ends its event streams; false when there is none of this name. Throws InputError for `default`. */
  delete(name: string): boolean;
  /** The names, in the order of creation. */
  list(): readonly string[];
  /** Freezes every clock and ends every event stream. */
  close(): void;
}

/** The form of a sandbox's name. */
const nameForm = /^[a-z0-9][a-z0-9-]{0,62}$/;
const defaultName = "default";

/** Creates sandboxes, each a backend of its own with these options. The control plane is on. */
export function createSandboxes(options: SandboxesOptions = {}): Sandboxes {
  return createSandboxesAt(options, systemClock);
}

/** The same by another real time, for tests. */
export function createSandboxesAt(options: SandboxesOptions, wall: WallClock): Sandboxes {
  // A server that makes sandboxes by itself must not be filled up by a loop of names.
  const { autoSandboxes = false, maxSandboxes = 1000, sandboxIdleMs, ...common } = options;
  if (typeof autoSandboxes !== "boolean") throw new InputError("autoSandboxes", "must be true or false");
  if (!(Number.isSafeInteger(maxSandboxes) && maxSandboxes > 0))
    throw new InputError("maxSandboxes", "must be a whole number from 1");
  if (sandboxIdleMs !== undefined && !(typeof sandboxIdleMs === "number" && sandboxIdleMs > 0))
    throw new InputError("sandboxIdleMs", "must be milliseconds above 0");
  const backends = new Map<string, Backend>();
  const idle = createIdleWatch(sandboxIdleMs, wall.now);
  const limitReached = `limit of ${maxSandboxes} sandbox${maxSandboxes === 1 ? "" : "es"} is reached. Delete one by DELETE ${controlPrefix}/sandboxes/{name}, raise the limit (--max-sandboxes, maxSandboxes), or let idle ones be removed (--sandbox-idle, sandboxIdleMs)`;
  const unknownName = `There is no sandbox of this name: create it by POST ${controlPrefix}/sandboxes.${sandboxIdleMs === undefined ? "" : ` One that answered no request for ${sandboxIdleMs / 1000} s is removed.`}`;

  const remove = (name: string): boolean => {
    backends.get(name)?.close();
    idle.forget(name);
    return backends.delete(name);
  };
  /** What is looked up has not expired: nothing needs a timer that would keep a process running. */
  const current = (): Map<string, Backend> => {
    for (const name of idle.expired()) if (name !== defaultName) remove(name);
    return backends;
  };

  const create = (name: string, own: Partial<BackendOptions> = {}): Backend => {
    if (!nameForm.test(name))
      throw new InputError("name", "must be lower-case letters, digits and hyphens, at most 63");
    if (current().has(name)) throw new InputError("name", `there is a sandbox ${name} already`);
    if (backends.size >= maxSandboxes) throw new InputError("name", `the ${limitReached}`);
    const policies = { ...common.policies, ...own.policies };
    const backend = assembleBackend(
      { ...common, ...own, controlPlane: true, policies },
      { ...defaultParts, wall, sandboxes, onFollow: () => idle.begin(name) },
    );
    backends.set(name, backend);
    idle.begin(name)();
    return backend;
  };
  const select = (request: Asked, url: URL): { name: string; backend: Backend; url: URL } | Response => {
    const inPath = sandboxPrefix.exec(url.pathname);
    const inHeader = request.headers.get("x-sandbox");
    const rest = inPath === null ? url.pathname : url.pathname.slice(inPath[0].length) || "/";
    if (inPath !== null && inHeader !== null && inPath[1] !== inHeader)
      return refusal(rest, "bad_request", "The path and the header X-Sandbox name different sandboxes.");
    const name = inPath?.[1] ?? inHeader ?? defaultName;
    const known = current().get(name);
    if (known === undefined) {
      if (!autoSandboxes || !nameForm.test(name)) return refusal(rest, "not_found", unknownName);
      if (backends.size >= maxSandboxes) return refusal(rest, "not_found", `The ${limitReached}.`);
    }
    if (inPath !== null) url.pathname = rest;
    return { name, backend: known ?? create(name), url };
  };
  const handle = async (request: Asked, peer?: Peer, url = new URL(request.url)): Promise<Handled> => {
    const selected = select(request, url);
    if (selected instanceof Response) return { response: selected };
    const { name, backend, url: inSandbox } = selected;
    if (sandboxIdleMs === undefined) return backend.handle(request, peer, inSandbox);
    const end = idle.begin(name);
    try {
      return await backend.handle(request, peer, inSandbox);
    } finally {
      end();
    }
  };
  const sandboxes: Sandboxes = {
    handle,
    async fetch(input, init, peer) {
      init?.signal?.throwIfAborted();
      const request = input instanceof Request && init === undefined ? input : new Request(input, init);
      return asFetched(await handle(request, peer), init === undefined ? request.signal : init.signal);
    },
    get default() {
      return backends.get(defaultName) ?? create(defaultName);
    },
    get: (name) => current().get(name),
    create,
    delete(name) {
      if (name === defaultName) throw new InputError("name", "the sandbox default stays");
      return current().has(name) && remove(name);
    },
    list: () => [...current().keys()],
    close() {
      for (const backend of backends.values()) backend.close();
    },
  };
  create(defaultName);
  return sandboxes;
}

/** A refusal in the shape that belongs to the path. */
function refusal(path: string, code: "bad_request" | "not_found", message: string): Response {
  return path.startsWith(`${controlPrefix}/`) ? controlFailure(code, message) : refuse(code, message);
}
