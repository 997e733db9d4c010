import { lookup } from "node:dns/promises";
import type { ClientRequest, IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { inboxUrl } from "@call-transfer/backend";
import { lookupOf } from "../net/lookup.ts";
import { isInNetworks } from "../net/networks.ts";
import { bracketed } from "../net/urls.ts";
import { http, loadHttps } from "./node-builtins.ts";

type Resolve = (hostname: string) => Promise<readonly { readonly address: string }[]>;

/**
 * Creates the `fetch` that sends webhooks. It resolves the host name once and connects to the addresses that were checked, one
 * after the other, so that a second DNS answer cannot redirect it. It follows no redirects. Rejects for schemes other than http and https,
 * for link-local and metadata addresses, and for addresses of the server itself (`isOwn`).
 */
export function createDeliveryFetch(
  resolve: Resolve = (hostname) => lookup(hostname, { all: true }),
  isOwn: (address: string, port: number) => boolean = () => false,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (!/^https?:$/.test(url.protocol)) throw new TypeError("Webhooks are delivered to http and https URLs only.");
    const hostname = url.hostname.replace(/^\[|\]$/g, "");
    const addresses = isIP(hostname) ? [{ address: hostname }] : await withSignal(request.signal, resolve(hostname));
    const refused = addresses.find(({ address }) => isRefusedAddress(address));
    if (refused)
      throw new TypeError(`Webhooks are not delivered to link-local and metadata addresses (${refused.address}).`);
    const [first, ...others] = addresses.map(({ address }) => address);
    if (first === undefined) throw new TypeError(`Host ${hostname} does not resolve to an address.`);
    const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
    const own = [first, ...others].find((address) => isOwn(address, port));
    if (own !== undefined)
      throw new TypeError(
        `Webhooks are not delivered to the mock server itself (${bracketed(own)}:${port}). Set the destination's URL to your app's server, or to ${inboxUrl} for the built-in receiver.`,
      );
    const body = new Uint8Array(await request.arrayBuffer());
    return responseOf(await send(url, lookupOf(first, ...others), request, body));
  };
}

/** Rejects when the signal aborts, for work that does not take a signal itself. */
function withSignal<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const isRefusedNetwork = isInNetworks(
  ...["169.254.0.0/16", "0.0.0.0/8", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"],
  ...["224.0.0.0/4", "240.0.0.0/4", "fe80::/10", "fec0::/10", "fd00:ec2::/32", "fd20:ce::/64", "ff00::/8"],
  // IPv4-compatible addresses and the unspecified one.
  "::/96",
  // IPv4 addresses behind a translator or a tunnel, which tests do not need.
  ...["64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96", "2002::/16"],
);

/** Whether webhooks must not be sent to an address: link-local, a cloud's metadata service, or not a host. */
export function isRefusedAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  return isIP(plain) === 0 || (plain !== "::1" && isRefusedNetwork(plain));
}

function send(url: URL, lookup: LookupFunction, request: Request, body: Uint8Array): Promise<IncomingMessage> {
  const { request: start } = url.protocol === "https:" ? loadHttps() : http;
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = start(url, {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), "content-length": body.byteLength },
      agent: false,
      signal: request.signal,
      ...{ lookup, autoSelectFamily: true },
    });
    outgoing.on("error", (error) => reject(explained(error, url)));
    outgoing.once("response", resolve);
    outgoing.end(body);
  });
}

/** An error that says what a network error means for a delivery. */
function explained(error: NodeJS.ErrnoException, { host }: URL): Error {
  const { code = "" } = error;
  // OpenSSL's text names files of its sources.
  if (/^(?:EPROTO|ERR_SSL_)/.test(code))
    return new TypeError(`${host} does not use TLS (${code}). Use http:// in the destination's URL`, { cause: error });
  const meaning = meanings.get(code);
  return meaning === undefined ? error : new TypeError(`${meaning} ${host} (${error.code})`, { cause: error });
}

const meanings: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens on"],
  ["ECONNRESET", "the connection was closed without an answer by"],
]);

/** A response whose body is read as it arrives. */
function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  if (![204, 205, 304].includes(status)) return new Response(webStreamOf(incoming), { status, headers });
  incoming.on("error", () => {}).resume();
  return new Response(null, { status, headers });
}

/** Not by `Readable.toWeb`: in Node up to 24 at least, data that arrives after a cancel is an uncaught exception there. */
function webStreamOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = (incoming as AsyncIterable<Uint8Array<ArrayBuffer>>)[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void incoming.destroy(),
  });
}
