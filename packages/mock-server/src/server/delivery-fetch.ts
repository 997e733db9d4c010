import { lookup } from "node:dns/promises";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP } from "node:net";
import { inboxUrl } from "@call-transfer/backend";
import { bracketed } from "./gate.ts";

/** Resolves a host name to its addresses. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string }[]>;

const maxAnswerBytes = 65_536;

/**
 * Sends webhook deliveries. The name is resolved once and the connection made to the very address that was checked, so
 * that no second answer of a name server can lead it elsewhere. Redirects are not followed. Rejects for schemes other
 * than http and https, for link-local and metadata addresses, for those that `isOwn` says are the sender's own server, and for
 * an answer over 64 KiB.
 */
export function createDeliveryFetch(
  resolve: Resolve = (hostname) => lookup(hostname, { all: true }),
  isOwn: (address: string, port: number) => boolean = () => false,
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (!/^https?:$/.test(url.protocol)) throw new TypeError("A delivery goes to http or https only.");
    const hostname = url.hostname.replace(/^\[|\]$/g, "");
    const addresses = isIP(hostname) ? [{ address: hostname }] : await unlessAborted(request.signal, resolve(hostname));
    const refused = addresses.find(({ address }) => isRefusedAddress(address));
    if (refused) throw new TypeError(`A delivery never goes to ${refused.address}, a link-local or metadata address.`);
    const [first] = addresses;
    if (first === undefined) throw new TypeError(`The name ${hostname} has no address.`);
    const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
    if (isOwn(first.address, port))
      throw new TypeError(
        `A delivery never goes to the mock server itself (${bracketed(first.address)}:${port}). Give the destination the address where the app's server listens, or ${inboxUrl} for the built-in receiver.`,
      );
    const body = new Uint8Array(await request.arrayBuffer());
    const answer = await send(url, first.address, request, body);
    return new Response([204, 205, 304].includes(answer.status) ? null : answer.body, {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

/** Waits for work that heeds no signal, and no longer than the signal allows. */
function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const refused = new BlockList();
for (const [network, prefix] of [
  ["169.254.0.0", 16],
  ["0.0.0.0", 8],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["192.0.0.192", 32],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  refused.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["fe80::", 10],
  ["fec0::", 10],
  ["fd00:ec2::", 32],
  ["fd20:ce::", 64],
  ["ff00::", 8],
  ["::", 128],
  // IPv4's addresses behind a translator or a tunnel, which no receiver of a test needs.
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["::ffff:0:0:0", 96],
  ["2002::", 16],
] as const)
  refused.addSubnet(network, prefix, "ipv6");

/** Whether an address is one that no delivery may reach: link-local, a cloud's metadata service, or no host at all. */
export function isRefusedAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  const family = isIP(plain);
  // An IPv4 address written as the end of an IPv6 one; the loopback address ::1 is none of them.
  const isCompatible = /^::[0-9a-f]{1,4}:[0-9a-f]{1,4}$/i.test(plain);
  return family === 0 || isCompatible || refused.check(plain, family === 6 ? "ipv6" : "ipv4");
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

function send(url: URL, address: string, request: Request, body: Uint8Array): Promise<Received> {
  const start = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = start(url, {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), "content-length": body.byteLength },
      agent: false,
      signal: request.signal,
      // The name stays in Host and in the certificate's check; only the address is given.
      lookup: (_hostname, { all }, done) => {
        const family = isIP(address);
        if (all) done(null, [{ address, family }]);
        else done(null, address, family);
      },
    });
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => receive(incoming).then(resolve, reject));
    outgoing.end(body);
  });
}

async function receive(incoming: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > maxAnswerBytes) throw new TypeError("The receiver's answer is larger than 64 KiB.");
    chunks.push(chunk);
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  return { status: incoming.statusCode ?? 0, headers, body: new Uint8Array(Buffer.concat(chunks)) };
}
