// Entry point for Node: a fetch over node:http that sees whether a request left.
import { Connections, type NodeTlsOptions } from "./node/connections.ts";
import { Exchange } from "./node/exchange.ts";
import { beforeSending } from "./node/failure.ts";
import { outgoingOf } from "./node/outgoing.ts";

export type { NodeTlsOptions };

/** The longest time of a timer. */
const maxTimerMs = 2 ** 31 - 1;

/** Options of `nodeFetch()`. */
export interface NodeFetchOptions {
  /**
   * Milliseconds for the name lookup, the connection and the TLS handshake together, and before them for a proxy's tunnel; 10 s
   * by default. A connection that takes longer is `not_sent`. The client's `timeoutMs` should be longer: a timeout of the
   * client itself is `unknown`.
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Address of a proxy for all requests, `http:` or `https:`, with its user and password if it needs them. By default,
   * `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are read once, also in lower case. `false` uses no proxy.
   */
  readonly proxy?: string | false | undefined;
  /** Certificates and keys. */
  readonly tls?: NodeTlsOptions | undefined;
}

/** A `fetch` with connections of its own. */
export interface NodeFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Ends all connections, also those in use. Later requests open new ones. Idle connections do not keep the process. */
  close(): void;
}

/**
 * Creates a `fetch` over `node:http` and `node:https`, for the option `fetch` of the client. Unlike the global one it sees the
 * connection. So every failure from before the first byte of a request is `not_sent`, and is retried (§8.3). Redirects are
 * not followed: without `redirect: "manual"`, which the client sets, they are errors.
 *
 * For Node 20 or newer. Bun and Deno have `node:http` too, but what they report of a connection is not tested.
 *
 * @throws {TypeError} An option, or the address of a proxy in the environment, is unusable.
 */
export function nodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  const { connectTimeoutMs = 10_000, proxy, tls = {} } = options;
  if (!(connectTimeoutMs > 0 && connectTimeoutMs <= maxTimerMs))
    throw new TypeError(`connectTimeoutMs must be milliseconds from 1 to ${maxTimerMs}, not ${connectTimeoutMs}.`);
  const connections = new Connections({ connectTimeoutMs, proxy, tls }, process.env);
  const send = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const outgoing = beforeSending(() => outgoingOf(input, init));
      outgoing.signal?.throwIfAborted();
      const request = beforeSending(() => connections.request(outgoing));
      new Exchange(outgoing, request, resolve, reject).start(connectTimeoutMs);
    });
  return Object.assign(send, { close: () => connections.close() });
}
