// Connections, kept alive, to servers and through proxies.
import http from "node:http";
import https from "node:https";
import { isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { coded } from "./failure.ts";
import type { Outgoing } from "./outgoing.ts";
import { type ProxyServer, proxyChoice, withoutBrackets } from "./proxy.ts";

export type TlsOptions = Pick<
  tls.ConnectionOptions,
  "ca" | "cert" | "key" | "passphrase" | "pfx" | "rejectUnauthorized" | "servername"
>;

export interface ConnectionSettings {
  readonly proxy: string | false | undefined;
  readonly tls: TlsOptions;
  readonly connectTimeoutMs: number;
}

/** An idle connection ends after 4 s, as with fetch, or sooner if the server says so. It never keeps the process. */
const keptAlive = { keepAlive: true, timeout: 4000 };

/** Asks a proxy for a tunnel. */
function openTunnel(
  { url, headers }: ProxyServer,
  authority: string,
  limitMs: number,
  ca: TlsOptions["ca"],
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const options = { method: "CONNECT", path: authority, headers: { host: authority, ...headers }, agent: false };
    const request = url.protocol === "https:" ? https.request(url, { ...options, ca }) : http.request(url, options);
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
    this.#open(`${isIPv6(host ?? "") ? `[${host}]` : host}:${port}`).then(
      (socket) => callback(null, tls.connect({ ...(options as tls.ConnectionOptions), socket })),
      callback as (error: Error) => void,
    );
  }
}

/** All connections of a fetch. */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #proxyOf: (target: URL) => ProxyServer | undefined;
  readonly #http = new http.Agent(keptAlive);
  readonly #https: https.Agent;
  readonly #tunnels = new Map<ProxyServer, TunnelAgent>();

  constructor(settings: ConnectionSettings, environment: Readonly<Record<string, string | undefined>>) {
    this.#settings = settings;
    this.#proxyOf = proxyChoice(settings.proxy, environment);
    this.#https = new https.Agent({ ...keptAlive, ...settings.tls });
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
      ? https.request(proxy.url, { ...proxied, agent: this.#https })
      : http.request(proxy.url, { ...proxied, agent: this.#http });
  }

  /** Ends all connections, also those in use. */
  close(): void {
    for (const agent of [this.#http, this.#https, ...this.#tunnels.values()]) agent.destroy();
  }

  #tunnelsOf(proxy: ProxyServer): TunnelAgent {
    const { tls: options, connectTimeoutMs } = this.#settings;
    const open = (authority: string) => openTunnel(proxy, authority, connectTimeoutMs, options.ca);
    const agent = this.#tunnels.get(proxy) ?? new TunnelAgent({ ...keptAlive, ...options }, open);
    this.#tunnels.set(proxy, agent);
    return agent;
  }
}
