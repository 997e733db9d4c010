import type { errorResponse } from "@call-transfer/backend/unstable";
import type { AllowedOrigins } from "../net/urls.ts";
import { isForInspector } from "./inspector-page.ts";

/** Which origins and which credentials a server accepts. */
export interface OriginRules {
  /** Other origins whose pages may use the API (CORS). */
  readonly origins: AllowedOrigins;
  /** How to allow an origin: a sentence. */
  allow(origin: string): string;
  /** Why the control plane refuses a token, which is empty if there is none, and what to do; undefined if it accepts it. */
  refuse(token: string): string | undefined;
}

/** Reads a header by its lower-case name; undefined or null if it is absent. */
export type ReadHeader = (name: string) => string | null | undefined;

/** An accepted request. */
export interface Admission {
  /** The absolute URL, normalized. */
  readonly url: URL;
  /** The origin to allow in the response's CORS headers; undefined for same-origin requests. */
  readonly origin: string | undefined;
  /** Whether this is a CORS preflight. */
  readonly isPreflight: boolean;
}

/** A rejected request, with its error. */
export interface Refusal {
  readonly code: Parameters<typeof errorResponse>[0];
  readonly detail: string;
  /** Whether a page sent it that may not use the server. Nothing remains of such a request. */
  readonly isOfPage?: boolean;
}

/** The paths of the control plane, in any sandbox. */
export const controlPaths = /^(?:\/_sandbox\/[^/]+)?\/_control(?:\/|$)/;

/**
 * Accepts or rejects a request to an address of the server, by the page that sent it and, for the control plane, its
 * credential. A page whose origin is not allowed may only open the inspector.
 */
export function admitOrigin(url: URL, method: string, header: ReadHeader, rules: OriginRules): Admission | Refusal {
  const origin = header("origin") ?? undefined;
  const isForeign = origin !== undefined && origin !== url.origin;
  const isForControl = controlPaths.test(url.pathname);
  const isAllowed = isForeign && !isForControl && rules.origins.has(origin);
  if ((isForeign || isOfOtherSite(header)) && !isAllowed && !opensInspector(url, method, header))
    return { code: "forbidden", detail: isForControl ? controlAdvice : adviceFor(header, rules), isOfPage: true };
  if (isForControl) {
    const detail = rules.refuse(tokenOf(header("authorization")) ?? url.searchParams.get("token") ?? "");
    if (detail !== undefined) return { code: "forbidden", detail };
  }
  const isPreflight = isForeign && method === "OPTIONS" && hasValue(header("access-control-request-method"));
  return { url, origin: isForeign ? origin : undefined, isPreflight };
}

const controlAdvice =
  "The control plane does not accept requests from pages of other sites. Change things from the command line; read them through the proxy of the page's own server.";

/**
 * Whether the browser marks the request as that of a page of another site. Images, forms, links and requests in the mode
 * `no-cors` have no origin, so this mark is all that tells them from a program's.
 */
export function isOfOtherSite(header: ReadHeader): boolean {
  const site = header("sec-fetch-site");
  return hasValue(site) && site !== "same-origin" && site !== "none";
}

/** Whether a browser opens the inspector in a tab, as after a click on a link. */
function opensInspector({ pathname }: URL, method: string, header: ReadHeader): boolean {
  if (method !== "GET" || hasValue(header("origin"))) return false;
  if (header("sec-fetch-mode") !== "navigate" || header("sec-fetch-dest") !== "document") return false;
  return isForInspector({ method, pathname, accept: header("accept") ?? undefined });
}

/** How a page of another site can use the API: sentences. */
function adviceFor(header: ReadHeader, { origins, allow }: OriginRules): string {
  const origin = header("origin");
  if (origin === "null")
    return "The page has no origin, as one from a file or in a sandboxed frame. Open it from a server, and allow the origin of that.";
  if (hasValue(origin)) return `Origin "${origin}" is not allowed. ${allow(origin)}`;
  const referrer = header("referer") ?? "";
  const page = URL.canParse(referrer) ? new URL(referrer).origin : "<the page's origin>";
  const advice = "A page of another site sent this without an Origin header. Use fetch() or XMLHttpRequest there.";
  return origins.has(page) ? advice : `${advice} ${allow(page)}`;
}

/** The token of an `Authorization` header, whose scheme has no case (RFC 9110). Another scheme has a wrong one. */
function tokenOf(authorization: string | null | undefined): string | undefined {
  if (!authorization) return undefined;
  return /^bearer +(.*)$/i.exec(authorization)?.[1] ?? "-";
}

function hasValue<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

/** The CORS headers of a response; none for a request of the server's own pages or of another program. */
export function corsHeaders(admission: Admission | undefined): Record<string, string> {
  if (admission?.origin === undefined) return {};
  return {
    "Access-Control-Allow-Origin": admission.origin,
    "Access-Control-Expose-Headers": "X-Request-Id, Date, Retry-After, Allow, WWW-Authenticate",
    Vary: "Origin",
  };
}

/** Headers that pages may always send, also when the preflight names none. */
const usualHeaders = "Authorization, X-Account-Id, X-Sandbox, Content-Type";
/** Characters of header names. Anything else in the list is not repeated. */
const headerList = /^[\w!#$%&'*+.^`|~ ,-]+$/;

/**
 * The headers of the response to a preflight of an allowed origin. All headers that it asks for are allowed: the origin is
 * what is trusted, and tracing and clients add headers that no list foresees.
 */
export function preflightHeaders(admission: Admission, header: ReadHeader): Record<string, string> {
  const asked = header("access-control-request-headers") ?? "";
  return {
    ...corsHeaders(admission),
    Vary: "Origin, Access-Control-Request-Headers",
    "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": headerList.test(asked) ? asked : usualHeaders,
    "Access-Control-Max-Age": "600",
    // Chromium asks this before a page of a public site may use a server on this machine.
    ...(header("access-control-request-private-network") === "true" && {
      "Access-Control-Allow-Private-Network": "true",
    }),
  };
}

/** What a control token must be. It goes into a header. */
export const controlTokenForm = "must have 16 to 256 characters: letters, digits and . _ ~ + / = -";

/** Whether a text can be a control token. */
export function isControlToken(token: unknown): boolean {
  return typeof token === "string" && /^[\w.~+/=-]{16,256}$/.test(token);
}
