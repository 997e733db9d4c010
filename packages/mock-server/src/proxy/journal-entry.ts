import type { RecordedRequest, RequestHeaders } from "@call-transfer/backend/unstable";
import { codeIn } from "./check-response.ts";
import type { Exchange } from "./exchange.ts";
import { headerOf, pairsOf } from "./headers.ts";
import type { Content } from "./json-content.ts";

/** The longest body that the journal keeps, in characters of JSON. */
const longestBody = 16_384;

/** An exchange as the journal of a backend records it. */
export function journalEntryOf(exchange: Exchange): RecordedRequest {
  const { method, url, status, operation, durationMs, detail, deviations } = exchange;
  const { requestContent, responseContent, requestHeaders, responseHeaders } = exchange;
  const found = status >= 400 ? codeIn(responseContent) : undefined;
  const code = found !== undefined && found.length <= longestCode ? found : undefined;
  const requestId = headerOf(responseHeaders, "x-request-id");
  const requestText = textOf(requestContent);
  const responseText = textOf(responseContent);
  return {
    method,
    url,
    headers: headersOf(requestHeaders),
    status,
    durationMs,
    decidedBy: { step: "proxy", ...(detail !== undefined && { detail }) },
    responseHeaders: headersOf(responseHeaders),
    ...(code !== undefined && { code }),
    ...(operation !== undefined && { operationId: operation.id }),
    ...(requestId !== undefined && { requestId }),
    ...(deviations.length > 0 && { deviations: deviations.slice(0, mostDeviations) }),
    ...(requestText !== undefined && { requestBody: JSON.parse(requestText) }),
    ...(responseText !== undefined && { responseText }),
  };
}

/** No code of an API is longer, in characters. */
const longestCode = 100;

/** More deviations of one exchange do not help. */
const mostDeviations = 50;

/** The JSON of a body; undefined if it is no JSON or too long to keep. */
function textOf(content: Content | undefined): string | undefined {
  const text = content !== undefined && "value" in content ? JSON.stringify(content.value) : undefined;
  return text === undefined || text.length > longestBody ? undefined : text;
}

/** Headers by name; the values of one that came several times are joined. */
function headersOf(raw: readonly string[]): RequestHeaders {
  const byName = new Map<string, string>();
  for (const [name, value] of pairsOf(raw)) {
    const known = byName.get(name.toLowerCase());
    byName.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
  }
  return { get: (name) => byName.get(name.toLowerCase()) ?? null, [Symbol.iterator]: () => byName.entries() };
}
