import type { Admission, ReadHeader } from "./admission.ts";

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
