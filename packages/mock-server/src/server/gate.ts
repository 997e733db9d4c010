import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { type AllowedOrigins, bracketed, isLoopbackHost, unbracketed } from "../net/urls.ts";
import { type Admission, admitOrigin, type Refusal } from "../web/admission.ts";
import { loadCrypto } from "./node-builtins.ts";

export interface GateRules {
  readonly hosts: HostRules;
  /** `https` for a server with TLS; `http` by default. */
  readonly scheme?: "http" | "https";
  /** The origin of the public URL, whose pages are the server's own. */
  readonly publicOrigin?: string | undefined;
  /** Other origins whose pages may use the API (CORS). */
  readonly origins: AllowedOrigins;
  /** The bearer token of the control plane; undefined while only this machine can reach the server. */
  readonly controlToken: string | undefined;
}

/** The head of a request as it came over the wire. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** Headers by lower-case name. `node:http` keeps only the first of some duplicates. */
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternating, duplicates included. */
  readonly rawHeaders: readonly string[];
  /** The server's address of the connection. */
  readonly localAddress: string | undefined;
}

// Two components could read different values if one of these headers came twice.
const single = new Set(["host", "origin", "authorization", "content-type", "x-account-id", "x-sandbox"]);
const hostForm = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

/** Accepts or rejects a request by its head alone, before routing and before its body is read. */
export function admit(head: RequestHead, rules: GateRules): Admission | Refusal {
  const { headers } = head;
  const repeated = repeatedHeader(head);
  if (repeated !== undefined) return { code: "bad_request", detail: `Duplicate header ${repeated}. Send it once.` };
  const host = headers.host?.toLowerCase() ?? "";
  const address = addressOf(head.target, host, rules.scheme);
  if (address === undefined)
    return { code: "bad_request", detail: "The request target or the Host header is malformed." };
  const refused = foreignName(nameOf(host), address.hostname, head, rules);
  if (refused !== undefined)
    return { code: "forbidden", detail: `Host "${refused}" is not allowed. Add it with --allow-host ${refused}.` };
  const { origin } = headers;
  const url = origin !== undefined && origin === rules.publicOrigin ? asPublic(address, origin) : address;
  return admitOrigin(url, head.method, (name) => text(headers[name]), {
    origins: rules.origins,
    allow: (page) => rules.origins.advice ?? `Add it with --cors-origin ${page}.`,
    refuse(token) {
      if (hasToken(token, rules.controlToken)) return undefined;
      return `The control token is ${token === "" ? "missing" : "wrong"}. Send the one that the server printed: as Authorization: Bearer …, or with --control-token.`;
    },
  });
}

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

/** Parses a request target in origin form or absolute form; undefined for the other forms. */
function addressOf(target: string, host: string, scheme = "http"): URL | undefined {
  if (!hostForm.test(host) || target.includes("#") || /[^\x21-\x7e]/.test(target)) return undefined;
  const address = target.startsWith("/") ? `${scheme}://${host}${target}` : target;
  try {
    const url = new URL(address);
    return url.protocol === `${scheme}:` && url.username === "" && url.password === "" ? url : undefined;
  } catch {
    return undefined;
  }
}

/** The URL as a page of the public URL sees it: a proxy may have changed scheme and host. */
function asPublic({ pathname, search }: URL, origin: string): URL {
  return new URL(origin + pathname + search);
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, "");
}

/** The name that is not one of the server's: that of the header Host, or else that of the target. */
function foreignName(inHeader: string, inTarget: string, head: RequestHead, rules: GateRules): string | undefined {
  if (!isOwn(inHeader, head, rules)) return inHeader;
  return inTarget === inHeader || isOwn(inTarget, head, rules) ? undefined : inTarget;
}

function isOwn(name: string, { localAddress = "" }: RequestHead, { hosts }: GateRules): boolean {
  if (isAccepted(name, hosts)) return true;
  // DNS rebinding needs a name. The address of the connection itself is safe.
  const address = localAddress.replace(/^::ffff:/, "");
  return address !== "" && name === bracketed(address);
}

function text(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(", ") : value;
}

/** Which host names a server accepts. Names are in lower case, IPv6 addresses in brackets. */
export interface HostRules {
  readonly names: ReadonlySet<string>;
  /** Ends of accepted names, such as `.mock.test`. */
  readonly suffixes: readonly string[];
  /** Whether names that only exist in private networks are accepted. */
  readonly isPrivateAccepted: boolean;
}

/** The names of this machine for itself. The Android emulator reaches it at 10.0.2.2. */
const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];
const emulatorAddress = "10.0.2.2";

export function hostRules(host: string, allowed: readonly string[], publicUrl: string | undefined): HostRules {
  const isPrivateAccepted = !isLoopbackHost(host);
  const names = [
    ...loopbackNames,
    emulatorAddress,
    bracketed(host),
    ...allowed.filter((name) => !name.startsWith("*")),
  ];
  if (isPrivateAccepted) names.push(hostname());
  if (publicUrl !== undefined) names.push(new URL(publicUrl).hostname);
  return {
    names: new Set(names.map((name) => name.toLowerCase())),
    suffixes: allowed.filter((name) => name.startsWith("*")).map((name) => name.slice(1).toLowerCase()),
    isPrivateAccepted,
  };
}

/**
 * A name that cannot be registered, so that no page of the internet can have it: one without dots, or below a domain that
 * is reserved for private use (RFC 2606, 6761, 6762, 8375 and `.internal`).
 */
const privateName = /^[a-z0-9_-]+$|.\.(?:localhost|local|internal|test|home\.arpa)$/;

/**
 * Whether a host name, or a pattern, says that other machines send requests under it. A server on 127.0.0.1 gets them by
 * way of a tunnel or a proxy.
 */
export function isPublicName(pattern: string): boolean {
  const name = pattern.replace("*", "any").toLowerCase();
  return ![...loopbackNames, emulatorAddress].includes(name) && !privateName.test(name);
}

export function isAccepted(name: string, { names, suffixes, isPrivateAccepted }: HostRules): boolean {
  if (names.has(name)) return true;
  if (suffixes.some((suffix) => name.endsWith(suffix) && name.length > suffix.length)) return true;
  return isPrivateAccepted && (isIP(unbracketed(name)) !== 0 || privateName.test(name));
}

/** Whether a text is a host name without a port, or a pattern for all names below a domain. */
export function isHostPattern(text: string): boolean {
  return /^(?:\[[0-9a-f:.]+\]|(?:\*\.)?[a-z0-9_-][a-z0-9._-]*)$/i.test(text);
}

/** Whether a request has the token, in a time that does not depend on where it differs. */
function hasToken(sent: string, token: string | undefined): boolean {
  if (token === undefined) return true;
  const { createHash, timingSafeEqual } = loadCrypto();
  const [given, expected] = [sent, token].map((text) => createHash("sha256").update(text).digest());
  return given !== undefined && expected !== undefined && timingSafeEqual(given, expected);
}
