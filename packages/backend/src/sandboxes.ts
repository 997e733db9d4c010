import { assembleBackend, type Backend, type BackendOptions, defaultParts, type Peer } from "./backend.ts";
import { controlFailure, controlPrefix, sandboxPrefix } from "./control/reply.ts";
import { refuse } from "./dispatch.ts";
import { InputError } from "./input-error.ts";
import { type Asked, asFetched, type Handled } from "./transport.ts";

export interface SandboxesOptions extends BackendOptions {
  /** Whether a request that names an unknown sandbox creates it; false by default. */
  readonly autoSandboxes?: boolean;
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
// A server that makes sandboxes by itself must not be filled up by a loop of names.
const mostSandboxes = 1000;

/** Creates sandboxes, each a backend of its own with these options. The control plane is on. */
export function createSandboxes(options: SandboxesOptions = {}): Sandboxes {
  const { autoSandboxes = false, ...common } = options;
  if (typeof autoSandboxes !== "boolean") throw new InputError("autoSandboxes", "must be true or false");
  const backends = new Map<string, Backend>();

  const create = (name: string, own: Partial<BackendOptions> = {}): Backend => {
    if (!nameForm.test(name))
      throw new InputError("name", "must be lower-case letters, digits and hyphens, at most 63");
    if (backends.has(name)) throw new InputError("name", `there is a sandbox ${name} already`);
    if (backends.size >= mostSandboxes) throw new InputError("name", `there are ${mostSandboxes} sandboxes already`);
    const policies = { ...common.policies, ...own.policies };
    const backend = assembleBackend(
      { ...common, ...own, controlPlane: true, policies },
      { ...defaultParts, sandboxes },
    );
    backends.set(name, backend);
    return backend;
  };
  const select = (request: Asked, url: URL): { backend: Backend; url: URL } | Response => {
    const inPath = sandboxPrefix.exec(url.pathname);
    const inHeader = request.headers.get("x-sandbox");
    const rest = inPath === null ? url.pathname : url.pathname.slice(inPath[0].length) || "/";
    if (inPath !== null && inHeader !== null && inPath[1] !== inHeader)
      return refusal(rest, "bad_request", "The path and the header X-Sandbox name different sandboxes.");
    const name = inPath?.[1] ?? inHeader ?? defaultName;
    const known = backends.get(name);
    if (known === undefined && !(autoSandboxes && nameForm.test(name) && backends.size < mostSandboxes))
      return refusal(
        rest,
        "not_found",
        `There is no sandbox of this name: create it by POST ${controlPrefix}/sandboxes.`,
      );
    if (inPath !== null) url.pathname = rest;
    return { backend: known ?? create(name), url };
  };
  const handle = async (request: Asked, peer?: Peer, url = new URL(request.url)): Promise<Handled> => {
    const selected = select(request, url);
    return selected instanceof Response ? { response: selected } : selected.backend.handle(request, peer, selected.url);
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
    get: (name) => backends.get(name),
    create,
    delete(name) {
      if (name === defaultName) throw new InputError("name", "the sandbox default stays");
      backends.get(name)?.close();
      return backends.delete(name);
    },
    list: () => [...backends.keys()],
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
