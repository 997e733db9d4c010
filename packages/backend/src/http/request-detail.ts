import type { RequestEntry, ShownChange } from "../generated/models.gen.ts";
import type { Effects, RecordChange } from "../model/change-log.ts";
import { withTimeTexts } from "../model/records.ts";
import type { TimerPurpose } from "../model/timer-queue.ts";
import { redacted, redactedHeaders, secretsIn, withoutTexts } from "../utils/redact.ts";
import { jsonOrUndefined } from "../utils/values.ts";
import type { RequestHeaders } from "./transport.ts";

/** A request and its response as they were. */
export interface Exchange {
  /** The URL as requested. */
  readonly url: URL;
  /** The request headers. */
  readonly headers: RequestHeaders;
  /** The request body, if it was read as JSON. */
  readonly requestBody?: unknown;
  /** The bytes of a short request body that was not read as JSON. */
  readonly requestBytes?: Uint8Array | undefined;
  /** Whether the request has a body, also one that is not kept. */
  readonly hasBody?: boolean;
  /** The address of the client's end of the connection. */
  readonly peerAddress?: string | undefined;
  /** The response headers that the backend set. */
  readonly responseHeaders?: RequestHeaders | Readonly<Record<string, string>> | undefined;
  /** The response body as it was sent. */
  readonly responseText?: string | undefined;
}

/** A request log entry with query, headers and bodies, as far as they are kept. Secrets are hidden, unless they are asked for. */
export interface RequestDetail extends RequestEntry {
  /** The query parameters by name. */
  readonly query?: Readonly<Record<string, string>>;
  /** The request headers by name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Present if it was JSON of at most 16 KiB. */
  readonly requestBody?: unknown;
  /** The response headers that the backend set. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Present if it was JSON of at most 16 KiB. */
  readonly responseBody?: unknown;
  /** The records that the request changed, in the order of the changes. */
  readonly changes?: readonly ShownChange[];
  /** The timers that the request set, in the order of setting. `at` is an ISO 8601 timestamp. */
  readonly timers?: readonly (TimerPurpose & { readonly at: string })[];
}

/** What the request log keeps of it; redacted on demand. */
export interface RecordedExchange extends Exchange {
  /** What the request changed. */
  readonly effects?: Effects | undefined;
}

/** What a detail shows of a request and its response. Secrets are redacted if `redact` is true; phone numbers are test data. */
export function detailOf(exchange: RecordedExchange, redact: boolean): Partial<RequestDetail> {
  const { url, headers, requestBody, requestBytes, responseHeaders = {}, responseText, effects } = exchange;
  const shown: typeof redacted = redact ? redacted : (fields) => ({ ...fields });
  const shownHeaders = redact ? redactedHeaders : lowerCased;
  const body = requestBody ?? (requestBytes && jsonOrUndefined(new TextDecoder().decode(requestBytes)));
  const given = Object.fromEntries(url.searchParams);
  const query = shown(given);
  // A stub may repeat a secret of the request under another name.
  const repeated = redact ? secretsIn([given, Object.fromEntries(headers), body]) : [];
  const answer = (value: unknown): unknown => withoutTexts(repeated, value);
  const answerHeaders = shownHeaders(isIterable(responseHeaders) ? responseHeaders : Object.entries(responseHeaders));
  const answerBody = responseText && shown({ body: jsonOrUndefined(responseText) ?? responseText }).body;
  return {
    ...(!redact && { path: url.pathname }),
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
    headers: shownHeaders(headers),
    ...(body !== undefined && { requestBody: shown({ body }).body }),
    responseHeaders: answer(answerHeaders) as typeof answerHeaders,
    ...(responseText && { responseBody: answer(answerBody) }),
    ...(effects?.changes.length && { changes: effects.changes.map((change) => shownChange(change, shown)) }),
    ...(effects?.timers.length && {
      timers: effects.timers.map(({ at, ...purpose }) => ({ at: new Date(at).toISOString(), ...purpose })),
    }),
  };
}

function shownChange({ collection, id, before, after }: RecordChange, shown: typeof redacted): ShownChange {
  return {
    collection,
    id,
    ...(before && { before: shown(withTimeTexts(before)) }),
    ...(after && { after: shown(withTimeTexts(after)) }),
  };
}

function lowerCased(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value]));
}

function isIterable(headers: object): headers is Iterable<[string, string]> {
  return Symbol.iterator in headers;
}
