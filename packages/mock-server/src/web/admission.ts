import type { errorResponse } from "@call-transfer/backend";

/** Which origins and which credentials a server accepts. */
export interface OriginRules {
  /** Other origins whose pages may use the API (CORS). */
  readonly origins: ReadonlySet<string>;
  /** How to allow an origin: a sentence. */
  allow(origin: string): string;
  /** Why the control plane refuses a credential, and what to do; undefined if it accepts it. */
  refuse(credential: string): string | undefined;
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
}

/** The paths of the control plane, in any sandbox. */
export const controlPaths = /^(?:\/_sandbox\/[^/]+)?\/_control(?:\/|$)/;

/** Accepts or rejects a request to an address of the server, by its origin and, for the control plane, its credential. */
export function admitOrigin(url: URL, method: string, header: ReadHeader, rules: OriginRules): Admission | Refusal {
  const origin = header("origin") ?? undefined;
  const isForeign = origin !== undefined && origin !== url.origin;
  if (controlPaths.test(url.pathname)) {
    if (isForeign || isCrossSite(header("sec-fetch-site")))
      return {
        code: "forbidden",
        detail:
          "The control plane does not accept requests from pages of other sites. Change things from the command line; read them through the proxy of the page's own server.",
      };
    const token = url.searchParams.get("token");
    const detail = rules.refuse(header("authorization") ?? (token === null ? "" : `Bearer ${token}`));
    if (detail !== undefined) return { code: "forbidden", detail };
  } else if (isForeign && !rules.origins.has(origin))
    return { code: "forbidden", detail: `Origin "${origin}" is not allowed. ${rules.allow(origin)}` };
  const isPreflight = isForeign && method === "OPTIONS" && hasValue(header("access-control-request-method"));
  return { url, origin: isForeign ? origin : undefined, isPreflight };
}

/** Whether the browser marks the request as coming from another site. */
function isCrossSite(site: string | null | undefined): boolean {
  return hasValue(site) && site !== "same-origin" && site !== "none";
}

function hasValue(value: string | null | undefined): boolean {
  return value !== null && value !== undefined;
}
