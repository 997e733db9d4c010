// Connections, kept alive, to servers and through proxies.
import http from "node:http";
import https from "node:https";
import { isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { coded } from "./failure.ts";
import type { Outgoing } from "./outgoing.ts";
import { type ProxyServer, proxyChoice, withoutBrackets } from "./proxy.ts";
import { clearTimeout, setTimeout } from "./real-time.ts";

/** What is sent and trusted over TLS, in PEM. */
export interface NodeTlsOptions {
  /** Certificates of the authorities to trust in place of those that Node knows. They count for an `https:` proxy too. */
  readonly ca?: string | readonly string[] | undefined;
  /** The client's certificate, with those between it and its authority. */
  readonly cert?: string | undefined;
  /** The private key of `cert`. */
  readonly key?: string | undefined;
  /** The password of `key`. */
  readonly passphrase?: string | undefined;
  /** The name that the server's certificate must have; by default the host of the URL. */
  readonly servername?: string | undefined;
  /** With `false`, any certificate is trusted, so anybody on the way can read the credential. True by default. */
  readonly rejectUnauthorized?: boolean | undefined;
}

export interface ConnectionSettings {
  readonly proxy: string | false | undefined;
  readonly tls: NodeTlsOptions;
  readonly connectTimeoutMs: number;
}

/** An idle connection ends after 4 s, as with fetch, or sooner if the server says so. It never keeps the process. */
const keptAlive = { keepAlive: true, timeout: 4000 };

/** Creates the request for a tunnel. */
function tunnelRequest(
  { url, headers }: ProxyServer,
  authority: string,
  ca: https.AgentOptions["ca"],
): http.ClientRequest {
  const options = { method: "CONNECT", path: authority, headers: { host: authority, ...headers }, agent: false };
  return url.protocol === "https:" ? https.request(url, { ...options, ca }) : http.request(url, options);
}

/** Sends the request for a tunnel. */
function openTunnel(request: http.ClientRequest, limitMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => request.destroy(coded("ETIMEDOUT", `the proxy opened no tunnel within ${limitMs} ms`)),
      limitMs,
    );
    request.on("close", () => clearTimeout(limit));
    request.on("error", reject);
    request.on("connect", ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      } else {
        socket.destroy();
        reject(coded("ERR_PROXY_TUNNEL", `the proxy opened no tunnel: it answered ${statusCode}`));
      }
    });
    request.end();
  });
}

/** Reaches https servers through tunnels. */
class TunnelAgent extends https.Agent {
  readonly #open: (authority: string) => Promise<Socket>;

  constructor(options: https.AgentOptions, open: (authority: string) => Promise<Socket>) {
    super(options);
    this.#open = open;
  }

  override createConnection(
    options: https.RequestOptions,
    callback: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { host, port } = options;
    this.#open(`${isIPv6(host ?? "") ? `[${host}]` : host}:${port}`)
      .then((socket) => tls.connect({ ...(options as tls.ConnectionOptions), socket }))
      .then((socket) => callback(null, socket), callback as (error: Error) => void);
  }
}

/** All connections of a fetch. */
export class Connections {
  readonly #connectTimeoutMs: number;
  readonly #tls: https.AgentOptions;
  readonly #proxyOf: (target: URL) => ProxyServer | undefined;
  readonly #http = new http.Agent(keptAlive);
  readonly #https: https.Agent;
  /** An https proxy gets no certificate of the client. */
  readonly #proxies: https.Agent;
  readonly #tunnels = new Map<ProxyServer, TunnelAgent>();
  /** Requests for tunnels, which belong to no agent yet. */
  readonly #opening = new Set<http.ClientRequest>();

  constructor(settings: ConnectionSettings, environment: Readonly<Record<string, string | undefined>>) {
    const {
      connectTimeoutMs,
      tls: { ca, ...others },
    } = settings;
    this.#connectTimeoutMs = connectTimeoutMs;
    const given = Object.entries(others).filter(([, value]) => value !== undefined);
    this.#tls = {
      ...Object.fromEntries(given),
      ...(ca !== undefined && { ca: typeof ca === "string" ? ca : [...ca] }),
    };
    this.#proxyOf = proxyChoice(settings.proxy, environment);
    this.#https = new https.Agent({ ...keptAlive, ...this.#tls });
    this.#proxies = new https.Agent({ ...keptAlive, ca: this.#tls.ca });
  }

  /** Creates a request, of which nothing is written yet. The modules are asked at each call: instrumentation replaces them. */
  request({ url, method, headers }: Outgoing): http.ClientRequest {
    const proxy = this.#proxyOf(url);
    const path = url.pathname + url.search;
    // Node copies its options several times, and makes many of a URL.
    const options = { host: withoutBrackets(url.hostname), port: url.port, path, method, headers };
    if (url.protocol === "https:")
      return https.request({ ...options, agent: proxy ? this.#tunnelsOf(proxy) : this.#https });
    if (!proxy) return http.request({ ...options, agent: this.#http });
    const proxied = { method, path: url.origin + path, headers: { host: url.host, ...headers, ...proxy.headers } };
    return proxy.url.protocol === "https:"
      ? https.request(proxy.url, { ...proxied, agent: this.#proxies })
      : http.request(proxy.url, { ...proxied, agent: this.#http });
  }

  /** Ends all connections, also those in use. */
  close(): void {
    for (const request of this.#opening) request.destroy();
    for (const agent of [this.#http, this.#https, this.#proxies, ...this.#tunnels.values()]) agent.destroy();
  }

  #tunnelsOf(proxy: ProxyServer): TunnelAgent {
    const open = (authority: string) => {
      const request = tunnelRequest(proxy, authority, this.#tls.ca);
      this.#opening.add(request);
      request.on("close", () => this.#opening.delete(request));
      return openTunnel(request, this.#connectTimeoutMs);
    };
    const agent = this.#tunnels.get(proxy) ?? new TunnelAgent({ ...keptAlive, ...this.#tls }, open);
    this.#tunnels.set(proxy, agent);
    return agent;
  }
}
