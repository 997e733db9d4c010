import type { ErrorCode } from "@call-transfer/spec";
import type { Backend, Peer } from "./backend.ts";
import { controlError } from "./control/parts/reply.ts";
import { errorResponse } from "./http/respond.ts";
import { createFetch } from "./http/transport/fetch.ts";
import { controlPrefix } from "./http/transport/paths.ts";
import { defaultSandbox, selectSandbox, unknownSandbox } from "./http/transport/select-sandbox.ts";
import { type HandleAt, type HandledResponse, type IncomingRequest, withUrl } from "./http/transport/transport.ts";
import { createIdleWatch } from "./idle.ts";
import { systemClock } from "./model/clock.ts";
import type { Sandboxes, SandboxesOptions } from "./sandbox-options.ts";
import { Registry } from "./sandbox-registry.ts";
import { InputError } from "./utils/input-error.ts";
import { sandboxNamePattern } from "./utils/names.ts";
import { messageOf } from "./utils/values.ts";

/**
 * Creates sandboxes with these options for each of them, and continues those that `stores` has. The control plane is on. Throws
 * InputError that names the wrong option, and an Error that says why a stored sandbox cannot be loaded.
 */
export function createSandboxes(options: SandboxesOptions = {}): Sandboxes {
  checkOptions(options);
  const { wall = systemClock } = options;
  const idle = createIdleWatch(options.sandboxIdleMs, wall.now);
  const registry = new Registry(options, idle);
  const defaultBackend = (): Backend => registry.get(defaultSandbox) ?? registry.create(defaultSandbox);
  try {
    defaultBackend();
    for (const stored of options.stores?.list() ?? []) if (stored.name !== defaultSandbox) registry.resume(stored);
  } catch (error) {
    registry.closeAll();
    throw error;
  }
  const handleAt: HandleAt<Peer> = async (request, peer, url) => {
    const selected = findSandbox(request, url, registry, options);
    if ("refusal" in selected) return refuse(selected, request, url, defaultBackend);
    const { name, backend } = selected;
    if (options.sandboxIdleMs === undefined) return backend.handle(request, peer, url);
    const end = idle.begin(name);
    return backend.handle(request, peer, url).finally(end);
  };
  const handle = withUrl(handleAt);
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
  defaultBackend: () => Backend,
): HandledResponse {
  if (isControlPath(path)) return { response: controlError(code, refusal) };
  const response = errorResponse(code, refusal);
  const { status, headers: responseHeaders } = response;
  const requestId = responseHeaders.get("x-request-id") ?? "";
  const decidedBy = { step: "gate", detail: refusal } as const;
  defaultBackend().record({ method, url, headers, code, status, durationMs: 0, requestId, responseHeaders, decidedBy });
  return { response };
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
    return { path, code: "internal_error", refusal: `Sandbox "${name}" could not be created: ${messageOf(error)}` };
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
