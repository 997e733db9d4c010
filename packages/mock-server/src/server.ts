import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Backend, type BackendOptions, createBackend, refuse } from "@call-transfer/backend";
import { getRequestListener } from "@hono/node-server";

export interface MockServerOptions extends BackendOptions {
  /** Port to listen on; 4010 by default, 0 takes a free one. */
  readonly port?: number;
  /** Address to bind; 127.0.0.1 by default. */
  readonly host?: string;
}

/** A running mock server. */
export interface MockServer {
  /** Base address, e.g. `http://127.0.0.1:4010`. */
  readonly url: string;
  readonly port: number;
  /** The backend behind it, for tests in the same process. */
  readonly backend: Backend;
  /** Lets requests in progress finish, then closes every connection. */
  close(): Promise<void>;
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Serves a backend over HTTP. Unlike `createBackend`, its clock flows from the real time and the control plane is on
 * unless told otherwise. Rejects when the port is taken, naming it.
 */
export async function startMockServer(options: MockServerOptions = {}): Promise<MockServer> {
  const { port = 4010, host = "127.0.0.1", ...backendOptions } = options;
  const backend = createBackend({ clock: "flowing", now: Date.now(), controlPlane: true, ...backendOptions });
  const hosts = allowedHosts(host);
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const isAllowed = hosts.has(new URL(request.url).hostname);
      if (!isAllowed) return refuse("forbidden", "The Host header names a host that this server is not.");
      const address = incoming.socket.remoteAddress;
      return backend.fetch(request, undefined, address === undefined ? {} : { address });
    },
    { overrideGlobalObjects: false, errorHandler: () => refuse("bad_request", "The request is malformed.") },
  );
  const server = createServer(
    { headersTimeout: 5000, requestTimeout: 15_000, connectionsCheckingInterval: 1000, maxHeaderSize: 16_384 },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  const address = await listen(server, port, host);
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    backend,
    async close() {
      // A frozen clock holds no timer of the process.
      backend.clock.set({ mode: "frozen" });
      await closed(server);
    },
  };
}

/** The names under which clients may address the server; any other is another site's (DNS rebinding). */
function allowedHosts(host: string): Set<string> {
  const own = host.includes(":") ? `[${host}]` : host.toLowerCase();
  return new Set([...loopbackNames, own]);
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
