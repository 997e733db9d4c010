import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { refuse } from "@call-transfer/backend";

/** Who may talk to a server. */
export interface GateRules {
  /** Host names that are the server's own, in lower case, IPv6 addresses in brackets. */
  readonly hosts: ReadonlySet<string>;
  /** Origins of other sites whose pages may use the API. */
  readonly origins: ReadonlySet<string>;
  /** The bearer token of the control plane; absent while the server is reachable from this machine only. */
  readonly controlToken: string | undefined;
}

/** What a gate looks at: a request's head as it came over the wire. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** Headers by their names in lower case; of those that came twice, perhaps only the first. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The address of the server's own end of the connection. */
  readonly localAddress: string | undefined;
}

/** A request that may go on. */
export interface Admission {
  /** Its absolute address, normalized. */
  readonly url: URL;
  /** The other site's origin that its answer must name (CORS). */
  readonly origin: string | undefined;
  /** Whether a browser only asks what it may send. */
  readonly isPreflight: boolean;
}

/** A request that must not, with the error that tells why. */
export interface Refusal {
  readonly code: Parameters<typeof refuse>[0];
  readonly detail: string;
}

// A second one of these could say something else to whoever reads the other.
const single = new Set(["host", "origin", "authorization", "content-type", "x-account-id", "x-sandbox"]);
const hostForm = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;
const controlPaths = /^(?:\/_sandbox\/[^/]+)?\/_control(?:\/|$)/;

/** Decides on a request by its head alone, before anything of it is routed or its body read. */
export function admit(head: RequestHead, rules: GateRules): Admission | Refusal {
  const { headers } = head;
  const repeated = repeatedHeader(head);
  if (repeated !== undefined) return { code: "bad_request", detail: `The ${repeated} header came twice.` };
  const host = headers.host?.toLowerCase() ?? "";
  const url = addressOf(head.target, host);
  if (url === undefined) return { code: "bad_request", detail: "The request's address or Host header is malformed." };
  if (!isOwn(nameOf(host), head, rules) || !isOwn(url.hostname, head, rules))
    return { code: "forbidden", detail: "The request names a host that this server is not." };
  const { origin } = headers;
  const isForeign = origin !== undefined && origin !== url.origin;
  if (controlPaths.test(url.pathname)) {
    if (isForeign || isAskedBySite(headers["sec-fetch-site"]))
      return { code: "forbidden", detail: "The control plane takes no requests from other sites." };
    if (!holdsToken(headers.authorization ?? `Bearer ${url.searchParams.get("token")}`, rules.controlToken))
      return { code: "forbidden", detail: "The control plane wants the bearer token that the server printed." };
  } else if (isForeign && !rules.origins.has(origin))
    return { code: "forbidden", detail: "The server does not know this origin; allow it with --cors." };
  const isPreflight = isForeign && head.method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
  return { url, origin: isForeign ? origin : undefined, isPreflight };
}

/** The name of a header that must not come twice but did. */
function repeatedHeader({ headers, rawHeaders }: RequestHead): string | undefined {
  if (rawHeaders.length === 2 * Object.keys(headers).length) return undefined;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (single.has(name) && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Reads a request target, in origin form or in absolute form; the other forms address no resource. */
function addressOf(target: string, host: string): URL | undefined {
  if (!hostForm.test(host) || target.includes("#") || /[^\x21-\x7e]/.test(target)) return undefined;
  const address = target.startsWith("/") ? `http://${host}${target}` : target;
  try {
    const url = new URL(address);
    return url.protocol === "http:" && url.username === "" && url.password === "" ? url : undefined;
  } catch {
    return undefined;
  }
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, "");
}

function isOwn(name: string, { localAddress = "" }: RequestHead, { hosts }: GateRules): boolean {
  // An address that the connection itself was made to is no name that someone could point elsewhere.
  const address = localAddress.replace(/^::ffff:/, "");
  return hosts.has(name) || (address !== "" && name === bracketed(address));
}

/** An address as it stands in a URL: IPv6 goes in brackets. */
export function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** An address as sockets take it, also where it is written as in a URL. */
export function unbracketed(address: string): string {
  return address.replace(/^\[(.*)\]$/, "$1");
}

/** Whether a browser says that the request comes from a page of another site, whatever its origin. */
function isAskedBySite(site: string | string[] | undefined): boolean {
  return site !== undefined && site !== "same-origin" && site !== "none";
}

function holdsToken(credential: string, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [given, wanted] = [credential, `Bearer ${token}`].map((text) => createHash("sha256").update(text).digest());
  return given !== undefined && wanted !== undefined && timingSafeEqual(given, wanted);
}
