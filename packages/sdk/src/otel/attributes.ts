// What spans and metrics say about a request: no header, no id in a path, no query, no body.
import type { Attributes } from "@opentelemetry/api";
import type { AttemptSummary, InstrumentedRequest, RequestSummary } from "../options/options.ts";

export interface DescribedEnd {
  /** Attributes of OpenTelemetry's conventions. */
  readonly standard: Attributes;
  /** The SDK's own attributes. */
  readonly own: Attributes;
  /** Undefined unless it failed. */
  readonly failure: { readonly name: string; readonly message: string } | undefined;
}

const methods = new Set(["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"]);

/** Describes a request by its method, path template and server: with attributes of the HTTP conventions, and of the SDK. */
export function describeRequest({ operationId, method: given, route, baseUrl }: InstrumentedRequest) {
  const template = templateOf(route);
  const { hostname, port, protocol } = new URL(baseUrl);
  const isKnown = methods.has(given);
  const attemptName = `${isKnown ? given : "HTTP"} ${template}`;
  const name = /^\w+$/.test(operationId) ? operationId : attemptName;
  return {
    name,
    attemptName,
    url: baseUrl + template,
    http: {
      "http.request.method": isKnown ? given : "_OTHER",
      "server.address": hostname,
      "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
      "url.template": template,
    } satisfies Attributes,
    own: { "call_transfer.operation": name } satisfies Attributes,
  };
}

/** Placeholders, words and versions. */
const plainSegment = /^(?:(?:\{\w+\}|[A-Za-z._~:-])*|v\d{1,3})$/;

/** The path template without query. `createRawClient()` also takes paths without placeholders: they may contain ids or phone numbers. */
function templateOf(route: string): string {
  const [path = ""] = route.split(/[?#]/, 1);
  const segments = path.split("/").map((segment) => (plainSegment.test(segment) ? segment : "{redacted}"));
  return segments.join("/");
}

/** Describes the end of an attempt. As the conventions say, statuses from 400 are errors. */
export function describeAttemptEnd({ outcome, attempt, failure }: AttemptSummary): DescribedEnd {
  const status = attempt?.status || undefined;
  const failed = failure ?? (status && status >= 400 ? { name: String(status), message: "" } : undefined);
  return {
    failure: failed,
    standard: withoutUndefined({ "http.response.status_code": status, "error.type": failed?.name }),
    own: withoutUndefined({ "call_transfer.outcome": outcome, ...namedByServer(attempt) }),
  };
}

export function describeRequestEnd({ outcome, attempts, error, retrySkippedReason }: RequestSummary): DescribedEnd {
  const failure = error === undefined ? undefined : describeError(error);
  return {
    failure,
    standard: withoutUndefined({ "error.type": failure?.name }),
    own: withoutUndefined({
      "call_transfer.outcome": outcome,
      "call_transfer.attempts": attempts.length,
      "call_transfer.retry_skipped_reason": retrySkippedReason,
      ...namedByServer(attempts.at(-1)),
    }),
  };
}

/** The error code and the request id, unless the server wrote something else there. */
const namedByServer = (attempt: AttemptSummary["attempt"]): Attributes => ({
  "call_transfer.error_code": matching(attempt?.code, /^[a-z]\w{0,79}$/),
  "call_transfer.request_id": matching(attempt?.requestId, /^[\w.:-]{1,128}$/),
});

const matching = (text: string | undefined, form: RegExp): string | undefined =>
  text !== undefined && form.test(text) ? text : undefined;

/** The name and message of what was thrown. The caller's own code may throw anything. */
function describeError(error: unknown): { name: string; message: string } {
  try {
    const { name, message } = Object(error) as { name?: unknown; message?: unknown };
    const className = typeof name === "string" ? matching(name, /^[A-Za-z]\w{0,79}$/) : undefined;
    return { name: className ?? "_OTHER", message: typeof message === "string" ? message : "" };
  } catch {
    return { name: "_OTHER", message: "" };
  }
}

function withoutUndefined(attributes: Attributes): Attributes {
  const defined: Attributes = {};
  for (const name in attributes) if (attributes[name] !== undefined) defined[name] = attributes[name];
  return defined;
}
