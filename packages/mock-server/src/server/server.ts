import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Backend, createSandboxes, type Sandboxes, type SandboxesOptions } from "@call-transfer/backend";
import { createDeliveryFetch } from "./delivery-fetch.ts";
import { bracketed, unbracketed } from "./gate.ts";
import { createListener, refuseExpectation } from "./listener.ts";
import { isOwnSocket } from "./own-address.ts";
import { checkServerOptions } from "./server-options.ts";

export interface MockServerOptions extends SandboxesOptions {
  /** Port to listen on; 4010 by default, 0 takes a free one. */
  readonly port?: number;
  /** Address to bind; 127.0.0.1 by default, IPv6 with or without brackets. Beyond this machine the control plane wants a token. */
  readonly host?: string;
  /** Names under which clients may address the server, besides the address it binds and the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Origins of other sites whose pages may use the API, e.g. `http://localhost:5173`; none by default. */
  readonly corsOrigins?: readonly string[];
  /** Where every webhook is delivered instead of its destination's own address. */
  readonly forwardWebhooks?: string;
}

/** A running mock server. */
export interface MockServer {
  /** Base address, e.g. `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly port: number;
  /** The control plane's bearer token; absent while the server is reachable from this machine only. */
  readonly controlToken: string | undefined;
  /** What answers, for tests in the same process. */
  readonly sandboxes: Sandboxes;
  /** The sandbox of requests that name none. */
  readonly backend: Backend;
  /**
   * Lets requests in progress finish, for two seconds at most, then closes every connection. The clocks stand still from
   * the beginning, so that what waits on one (a latency, a slow body) is cut off.
   */
  close(): Promise<void>;
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];
/** How long a request may take to come, in milliseconds, and how large its headers may be, in bytes. */
export interface SocketLimits {
  readonly headersTimeout: number;
  /** For the whole request, its headers included. */
  readonly requestTimeout: number;
  /** A limit is noticed by so much later at most. */
  readonly connectionsCheckingInterval: number;
  readonly maxHeaderSize: number;
}

/** A connection that is silent or slow is closed 10 seconds after its request began, at the latest. */
export const socketLimits: SocketLimits = {
  headersTimeout: 5000,
  requestTimeout: 9000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16_384,
};

/**
 * Serves sandboxes over HTTP. Unlike those of `createBackend`, their clocks flow from the real time unless told
 * otherwise. Rejects when the port is taken, naming it, and with InputError that names a bad option.
 */
export function startMockServer(options: MockServerOptions = {}): Promise<MockServer> {
  return startLimited(options, socketLimits);
}

/** The same with other limits, for tests that do not wait for the real ones. */
export async function startLimited(options: MockServerOptions, limits: SocketLimits): Promise<MockServer> {
  checkServerOptions(options);
  const { port = 4010, host: bound = "127.0.0.1", forwardWebhooks, ...others } = options;
  const { allowedHosts = [], corsOrigins = [], ...given } = others;
  const host = unbracketed(bound);
  const ownSocket = (): AddressInfo | null => {
    const address = server.address();
    return typeof address === "object" ? address : null;
  };
  const deliver = createDeliveryFetch(undefined, (address, port) => isOwnSocket(ownSocket(), address, port));
  const sandboxes = createSandboxes({
    clock: "flowing",
    fetch: (input, init) => deliver(forwardWebhooks ?? input, init),
    ...given,
  });
  const isPrivate = loopbackNames.includes(bracketed(host));
  const rules = {
    hosts: new Set([...loopbackNames, bracketed(host), ...allowedHosts].map((name) => name.toLowerCase())),
    origins: new Set(corsOrigins),
    controlToken: isPrivate ? undefined : randomBytes(16).toString("hex"),
  };
  const closing = new AbortController();
  // The gate refuses a request without Host in the API's own shape.
  const listener = createListener(rules, sandboxes.handle, closing.signal);
  const server = createServer({ ...limits, requireHostHeader: false }, listener);
  // The gate wants to see every header; their size bounds their number.
  server.maxHeadersCount = 0;
  server.on("checkExpectation", refuseExpectation);
  const address = await listen(server, port, host);
  return {
    url: `http://${bracketed(host)}:${address.port}`,
    port: address.port,
    controlToken: rules.controlToken,
    sandboxes,
    backend: sandboxes.default,
    async close() {
      sandboxes.close();
      closing.abort();
      await closed(server);
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isBusy = error.code === "EADDRINUSE";
      reject(isBusy ? new Error(`Port ${port} on ${host} is in use; choose another one.`, { cause: error }) : error);
    });
    server.listen(port, host, () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // Whoever keeps a connection busy for longer than this is not waiting for an answer.
    setTimeout(() => server.closeAllConnections(), 2000).unref();
  });
}
