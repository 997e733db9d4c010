import type { BackendEvent } from "@call-transfer/backend";

/**
 * Whether events arrive. `refused`: the server does not send them, with the status of its response and why, such as 403
 * without the control token.
 */
export type StreamState =
  | { readonly state: "connecting" | "live" | "lost" }
  | { readonly state: "refused"; readonly status: number | undefined; readonly reason: string };

/** What a follower of events receives. */
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
  /** Whether it is a server, which programs outside the page reach. */
  readonly isServer: boolean;
  /** What the user is shown as its address. */
  readonly address: string;
  /** Sends a request to the control plane or to the API. */
  fetch(request: Request): Promise<Response>;
  /** Follows the events of a sandbox until the returned function is called. */
  follow(sandbox: string, token: string | undefined, listener: StreamListener): () => void;
}
