// Turns an error of the SDK into a response of your own API. The recipes for servers use it.
import {
  AbortError,
  ApiError,
  OutcomeUnknownError,
  RateLimitError,
  type RequestError,
  TimeoutError,
} from "@call-transfer/sdk";

/** The statuses of the API that concern your caller. 401 and 403, for example, concern the credentials of your server. */
const forCallers = [400, 404, 409, 410, 422];

/** Returns what your caller may see of an error. Log the error itself: its message names the request for support. */
export async function errorResponse(error: RequestError): Promise<Response> {
  if (error instanceof OutcomeUnknownError) {
    // The phone may be ringing. Not a 5xx, after which proxies and clients send a request again by themselves.
    const { candidates, explanation } = await error.reconcile();
    // The candidates may be calls of your other callers, so this one gets only their number.
    const body = { code: "outcome_unknown", message: explanation, candidates: candidates.length };
    return Response.json(body, { status: 409 });
  }
  if (error instanceof RateLimitError) {
    const headers = { "Retry-After": String(Math.ceil(error.retryAfterSecs ?? 60)) };
    return Response.json({ code: error.code }, { status: 429, headers });
  }
  if (error instanceof ApiError && forCallers.includes(error.status)) {
    const { status, code, detail, errors } = error;
    return Response.json({ code, message: detail, errors }, { status });
  }
  // Your caller has disconnected and gets no response. Access logs show this status.
  if (error instanceof AbortError) return new Response(null, { status: 499 });
  const status = error instanceof TimeoutError ? 504 : 502;
  return Response.json({ code: "upstream_failed" }, { status });
}
