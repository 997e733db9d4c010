import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Backend,
  createSandboxRegistry,
  type SandboxRegistry,
  type SandboxRegistryOptions,
  type SandboxStorage,
} from "@call-transfer/backend";
import { letProcessEnd, setTimeout } from "@call-transfer/backend/unstable";
import { isOwnSocket } from "../net/networks.ts";
import { type AllowedOrigins, allowedOrigins, bracketed, isLoopbackHost, unbracketed } from "../net/urls.ts";
import type { DataFile } from "../store/sqlite.ts";
import { createDeliveryFetch } from "./delivery-fetch.ts";
import { type GateRules, hostRules, isPublicName } from "./gate.ts";
import { createExpectationListener, createListener } from "./listener.ts";
import { http, loadCrypto } from "./node-builtins.ts";
import { createMalformedListener, createRefusalRecord } from "./refusals.ts";
import { checkServerOptions, type MockServerOptions } from "./server-options.ts";
import { createTlsServer } from "./tls.ts";

/** A running mock server. */
export interface MockServer {
  /** Base URL, e.g. `http://127.0.0.1:4010`; the public URL if there is one. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** The bearer token of the control plane; undefined if it requires none. */
  readonly controlToken: string | undefined;
  /** All sandboxes, for tests in the same process. */
  readonly sandboxes: SandboxRegistry;
  /** The sandbox `default`, which serves requests that do not name one. */
  readonly backend: Backend;
  /**
   * Waits up to 2 seconds for requests in flight, then closes all connections and the sandboxes. Responses that wait for a
   * clock for longer (a latency, a slow body) are cut off.
   */
  close(): Promise<void>;
}

/** How long a connection may take or stay idle, in milliseconds, and how large a request's headers may be, in bytes. */
export interface SocketLimits {
  readonly headersTimeout: number;
  /** For the whole request, including its headers. */
  readonly requestTimeout: number;
  /** Maximum delay until an exceeded limit is noticed. */
  readonly connectionsCheckingInterval: number;
  /** How long a connection waits for its next request. */
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
}

/** Closes silent and slow connections at most 10 seconds after their request began. */
export const socketLimits: SocketLimits = {
  headersTimeout: 5000,
  requestTimeout: 9000,
  connectionsCheckingInterval: 1000,
  // Node's five seconds end a connection that a busy client is about to use: its request fails, and a placement is unknown.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
};

/**
 * Serves sandboxes over HTTP. Their clocks start at the real time and flow by default, unlike those of `createBackend`.
 * Rejects with an Error when the port is in use, with an InputError that names a wrong option, and with a StoreError that says
 * why the file `dataFile` cannot be used.
 */
export function startMockServer(options: MockServerOptions = {}): Promise<MockServer> {
  return startServer(options);
}

/**
 * Starts a server, perhaps with other limits. A server for tests names their pages, announces each refusal of a page, and keeps
 * no connection: Node's fetch waits on one that was kept for a turn of the event loop, which never comes while a test fakes
 * `setImmediate`.
 */
export async function startServer(
  options: MockServerOptions,
  limits: SocketLimits = socketLimits,
  ofTests?: AllowedOrigins,
): Promise<MockServer> {
  checkServerOptions(options);
  const { port = 4010, host: bound = "127.0.0.1", dataFile, ...others } = options;
  const { allowedHosts: _hosts, corsOrigins: _origins, tls, publicUrl, controlToken: _token, ...given } = others;
  const host = unbracketed(bound);
  // Stored sandboxes send their open offers again as soon as they are created, before the server is.
  let server: Server | undefined;
  const ownSocket = (): AddressInfo | null => {
    const address = server?.address() ?? null;
    return typeof address === "object" ? address : null;
  };
  const isOwn = (address: string, port: number) => isOwnSocket(ownSocket(), address, port);
  const file = dataFile === undefined ? undefined : await openFile(dataFile);
  const sandboxes = openSandboxes(file, {
    clockMode: "running",
    fetch: createDeliveryFetch(undefined, isOwn),
    ...given,
  });
  const rules = { ...gateRules(host, options), ...(ofTests && { origins: ofTests }) };
  const closing = new AbortController();
  // The gate rejects requests without Host, with an error of the API.
  const recordRefusal = createRefusalRecord(sandboxes.record, undefined, ofTests !== undefined);
  const { handle } = sandboxes;
  const { signal } = closing;
  const listener = createListener({
    ...{ rules, handle, closing: signal, recordRefusal, checkReady: file?.checkReady },
    isForwarding: options.elsewhere !== undefined,
  });
  const settings = { ...limits, requireHostHeader: false };
  server = tls === undefined ? http.createServer(settings, listener) : createTlsServer(settings, tls, listener);
  // The gate must see all headers. Their number is limited by maxHeaderSize.
  server.maxHeadersCount = 0;
  if (ofTests !== undefined) server.maxRequestsPerSocket = 1;
  server.on("checkExpectation", createExpectationListener(recordRefusal));
  server.on("clientError", createMalformedListener(recordRefusal));
  const address = await listen(server, port, host).catch((error: unknown) => {
    sandboxes.close();
    throw error;
  });
  return {
    url: publicUrl?.replace(/\/+$/, "") ?? `${rules.scheme}://${bracketed(host)}:${address.port}`,
    port: address.port,
    controlToken: rules.controlToken,
    sandboxes,
    backend: sandboxes.default,
    async close() {
      closing.abort();
      await closed(server);
      // Last, so that what a request in flight changed is stored.
      sandboxes.close();
    },
  };
}

/** Whom the server answers. A server that others can reach gets a control token. */
function gateRules(host: string, options: MockServerOptions): GateRules {
  const { allowedHosts = [], corsOrigins = [], tls, publicUrl, controlToken } = options;
  return {
    scheme: tls === undefined ? "http" : "https",
    hosts: hostRules(host, allowedHosts, publicUrl),
    publicOrigin: publicUrl === undefined ? undefined : new URL(publicUrl).origin,
    origins: allowedOrigins(corsOrigins),
    controlToken:
      controlToken ??
      (isReachable(host, publicUrl, allowedHosts) ? loadCrypto().randomBytes(16).toString("hex") : undefined),
  };
}

/** Opens a file that keeps the sandboxes. Loads what that needs only then. */
async function openFile(path: string): Promise<DataFile> {
  return (await import("../store/sqlite.ts")).openSqliteStores(path);
}

/** Creates the sandboxes, or continues those that are stored. */
function openSandboxes(stores: SandboxStorage | undefined, options: SandboxRegistryOptions): SandboxRegistry {
  if (stores === undefined) return createSandboxRegistry(options);
  try {
    return createSandboxRegistry({ ...options, stores });
  } catch (error) {
    stores.close();
    throw error;
  }
}

/** Whether other machines can reach the server, directly or through what serves the public URL or another host name. */
function isReachable(host: string, publicUrl: string | undefined, allowedHosts: readonly string[]): boolean {
  const isServed = publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);
  return !isLoopbackHost(host) || isServed || allowedHosts.some(isPublicName);
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isBusy = error.code === "EADDRINUSE";
      reject(isBusy ? new Error(`Port ${port} on ${host} is in use. Choose another one.`, { cause: error }) : error);
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
    // Clients that keep a connection busy for longer do not wait for a response.
    letProcessEnd(setTimeout(() => server.closeAllConnections(), 2000));
  });
}
