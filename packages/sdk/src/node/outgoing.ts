// A request as fetch takes it, in the parts that node:http takes.
import { Readable } from "node:stream";

/** A request that is ready to be sent. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | Readable | null;
  readonly signal: AbortSignal | null;
  readonly redirect: RequestRedirect;
}

const plainMethods = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);
const withoutBody = new Set(["GET", "HEAD"]);
/** Headers of the connection, which node:http writes itself. */
const ofConnection = new Set(["connection", "content-length", "expect", "keep-alive", "transfer-encoding", "upgrade"]);

function plainHeaders(given: HeadersInit | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  (given instanceof Headers ? given : new Headers(given)).forEach((value, name) => {
    if (!ofConnection.has(name)) headers[name] = value;
  });
  headers.accept ??= "*/*";
  headers["accept-encoding"] ??= "gzip, deflate, br";
  return headers;
}

/** Throws a `TypeError` for what fetch refuses, too. */
export function outgoingOf(input: string | URL | Request, init: RequestInit = {}): Outgoing {
  // If it were ignored, requests would not go through the proxy that it sets.
  if ("dispatcher" in init)
    throw new TypeError(
      "fetchOptions.dispatcher is an option of undici. Set the options proxy and tls of nodeFetch().",
    );
  const { method = "GET", body = null } = init;
  const isText = typeof body === "string";
  const isPlain = body === null || ((isText || body instanceof Uint8Array) && !withoutBody.has(method));
  if (input instanceof Request || !isPlain || !plainMethods.has(method)) return ofRequest(new Request(input, init));
  const url = input instanceof URL ? input : new URL(input);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`fetch failed: ${url.protocol} is not http: or https:`);
  if (url.username || url.password) throw new TypeError("fetch failed: the URL contains a user name or a password");
  const headers = plainHeaders(init.headers);
  if (isText) headers["content-type"] ??= "text/plain;charset=UTF-8";
  // For a DELETE with a body, node:http writes no length by itself.
  if (body !== null) headers["content-length"] = `${Buffer.byteLength(body)}`;
  return { url, method, headers, body, signal: init.signal ?? null, redirect: init.redirect ?? "follow" };
}

/** Everything but text and bytes takes the way through a `Request`, which knows how to encode it. */
function ofRequest({ url, method, headers, body: stream, signal, redirect }: Request): Outgoing {
  const body = stream && Readable.from(stream);
  const plain = { ...plainHeaders(headers), ...(body && { "transfer-encoding": "chunked" }) };
  return { ...outgoingOf(url), method, headers: plain, body, signal, redirect };
}
