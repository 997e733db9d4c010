import type { Backend, BackendEvent, SandboxRegistry } from "@call-transfer/backend";

/**
 * Whether events arrive. `refused`: the server does not send them, with the status of its response and why, such as 403
 * without the control token.
 */
export type StreamState =
  | { readonly state: "connecting" | "live" | "lost" }
  | { readonly state: "refused"; readonly status: number | undefined; readonly reason: string };

/** Receives the events of a sandbox. */
export interface StreamListener {
  /** Events in order, several at a time. */
  events(batch: readonly BackendEvent[]): void;
  /** The state, whenever it changes. */
  state(state: StreamState): void;
  /** The control token that another tab of the browser uses. */
  token?(token: string): void;
}

/** Where an inspector gets its data: a server over HTTP, or a backend in the page. */
export interface Source {
  /** The base URL of the control plane and of the API, without a slash at the end. */
  readonly baseUrl: string;
  /** The shell command of the server's program; undefined for a backend in the page, which no program reaches. */
  readonly program: string | undefined;
  /** The address that the user is shown. */
  readonly address: string;
  /** Sends a request to the control plane or to the API. */
  fetch(request: Request): Promise<Response>;
  /** Follows the events of a sandbox until the returned function is called. */
  follow(sandbox: string, token: string | undefined, listener: StreamListener): () => void;
}

/** The parts of a source that a stream of events needs. */
export type Feed = Pick<Source, "baseUrl" | "fetch">;

/** A message of a tab to the worker. A tab follows one sandbox at a time. */
export type ToWorker =
  | {
      readonly type: "follow";
      readonly baseUrl: string;
      readonly sandbox: string;
      readonly token: string | undefined;
    }
  | { readonly type: "leave" };

/** A message of the worker to a tab. */
export type ToTab =
  | { readonly type: "events"; readonly events: readonly BackendEvent[] }
  | { readonly type: "state"; readonly state: StreamState }
  | { readonly type: "token"; readonly token: string };

/** The server that the page came from, which knows the command of its program. */
export function createHttpSource(follow: (feed: Feed) => Source["follow"], program: string | undefined): Source {
  // The page is at <base>/_inspector/, and the base may have a path behind a proxy.
  const baseUrl = new URL("../..", location.href.replace(/[?#].*$/, "")).href.replace(/\/$/, "");
  const fetch = (request: Request) => globalThis.fetch(request);
  return { baseUrl, program, address: baseUrl, fetch, follow: follow({ baseUrl, fetch }) };
}

/** The client runs in the same page as the backend. */
const caller = { address: "127.0.0.1" };

/** A backend in the page. `baseUrl` is the address that its clients use, with or without a path. */
export function createBackendSource(
  backend: Pick<Backend | SandboxRegistry, "fetch">,
  baseUrl: string,
  follow: (feed: Feed) => Source["follow"],
): Source {
  const address = baseUrl.replace(/\/+$/, "");
  // The backend serves the root of its address.
  const ownUrl = new URL(address).origin;
  const fetch = (request: Request) => backend.fetch(request, undefined, caller);
  return { baseUrl: ownUrl, program: undefined, address, fetch, follow: follow({ baseUrl: ownUrl, fetch }) };
}
