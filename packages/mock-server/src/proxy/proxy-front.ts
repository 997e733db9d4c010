import type { IncomingMessage } from "node:http";
import type { Deviation } from "@call-transfer/backend/unstable";
import type { AdmittedRequest, Front } from "../server/listener.ts";
import { controlPaths } from "../web/admission.ts";
import { checkRequest } from "./check-request.ts";
import { checkResponse } from "./check-response.ts";
import { operationsAt } from "./contract.ts";
import type { Exchange } from "./exchange.ts";
import { answeredHeaders, headerOf, sentHeaders } from "./headers.ts";
import { type Content, jsonContent, mostCheckedBytes } from "./json-content.ts";
import { relay } from "./relay.ts";
import { type SentRequest, sendOnce, TargetError } from "./send.ts";

export interface FrontOptions {
  /** The base URL of the API, without a slash at its end. */
  readonly target: string;
  /** Whether requests that deviate are refused. */
  readonly strict: boolean;
  /** How long the target may take for the head of its answer, and between two parts of its body. */
  readonly timeoutMs: number;
  /** Receives each exchange before the client has the end of its answer. */
  readonly onExchange: (exchange: Exchange) => void;
}

const maxBodyBytes = 32 * 2 ** 20;
const apiPath = /^\/api\/v1(?:\/|$)/;

/** Creates what forwards the requests to the API and answers all others that the control plane does not take. */
export function createProxyFront(options: FrontOptions): Front {
  return {
    maxBodyBytes,
    async answer(request) {
      const { method = "" } = request.incoming;
      const { pathname } = request.url;
      if (controlPaths.test(pathname)) {
        if (isForProxy(method, pathname)) return false;
        const message = `A proxy keeps no data, so ${method} ${pathname} has nothing to change. Change the data on the target, or start the mock server without --engine proxy.`;
        sendError(request, 409, "no_data", message);
      } else if (apiPath.test(pathname)) await forward(request, options);
      else refusePath(request, options);
      return true;
    },
  };
}

/** Whether the control plane can do with a proxy what a request asks for: read, and clear or await the journal. */
function isForProxy(method: string, pathname: string): boolean {
  return method === "GET" || method === "HEAD" || /\/_control\/v1\/requests(?:\/|$)/.test(pathname);
}

function refusePath(request: AdmittedRequest, { onExchange }: FrontOptions): void {
  const detail = "The proxy forwards paths under /api/v1 only. Check the path.";
  onExchange(exchangeOf(request, { status: 404, detail }));
  sendError(request, 404, "not_forwarded", detail);
}

/** An exchange without an answer of the target, but for the given parts. */
function exchangeOf({ incoming, url }: AdmittedRequest, parts: Pick<Exchange, "status"> & Partial<Exchange>): Exchange {
  return {
    at: timeOf(parts.responseHeaders),
    method: incoming.method ?? "",
    url,
    requestHeaders: incoming.rawHeaders,
    responseHeaders: [],
    requestContent: undefined,
    responseContent: undefined,
    operation: undefined,
    deviations: [],
    durationMs: 0,
    ...parts,
  };
}

async function forward(request: AdmittedRequest, options: FrontOptions): Promise<void> {
  const { incoming, outgoing, url, body } = request;
  const startedAt = performance.now();
  const { method = "", rawHeaders } = incoming;
  const atPath = operationsAt(url.pathname);
  const operation = atPath.find((one) => one.method === method);
  const header = (name: string): string | undefined => headerOf(rawHeaders, name);
  const content = body === undefined ? undefined : jsonContent(body, header("content-encoding"));
  const found = checkRequest({ method, url, header, content }, operation, atPath);
  const record = (answer: Pick<Exchange, "status"> & Partial<Exchange>): void => {
    const durationMs = performance.now() - startedAt;
    options.onExchange(
      exchangeOf(request, { requestContent: content, operation, deviations: found, durationMs, ...answer }),
    );
  };
  if (options.strict && found.length > 0) {
    record({ status: 400, detail: "Refused: the request deviates from the contract. It was not forwarded." });
    return sendError(request, 400, "request_deviates", `Not forwarded: ${sentence(found)}`, found);
  }
  const aborted = new AbortController();
  outgoing.once("close", () => aborted.abort());
  const { target, timeoutMs } = options;
  let answer: IncomingMessage;
  try {
    answer = await sendOnce(target, sentRequest(request, target), { timeoutMs, signal: aborted.signal });
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    if (aborted.signal.aborted) return record({ status: 0, detail: "The client closed the connection first." });
    record({ status: error.status, detail: error.message });
    return sendError(request, error.status, error.code, error.message);
  }
  const { statusCode: status = 0, statusMessage = "", rawHeaders: received } = answer;
  outgoing.sendDate = false;
  outgoing.writeHead(status, statusMessage, answeredHeaders(received, request.corsHeaders));
  await relay(answer, outgoing, mostCheckedBytes, (end) => {
    const answered = (name: string): string | undefined => headerOf(received, name);
    const responseContent = contentOf(end.bytes, method, answered("content-encoding"));
    const common = { status, responseHeaders: received };
    if (!end.isComplete) {
      const who = aborted.signal.aborted ? "The client" : "The target";
      return record({ ...common, detail: `${who} closed the connection before the end of the answer.` });
    }
    const deviations = checkResponse({ status, header: answered, content: responseContent }, operation);
    record({ ...common, responseContent, deviations: [...found, ...deviations] });
  });
}

function timeOf(headers: readonly string[] = []): number {
  return Date.parse(headerOf(headers, "date") ?? "") || Date.now();
}

/** The request to send: the client's, to the same path under the target's. */
function sentRequest({ incoming, url, body }: AdmittedRequest, target: string): SentRequest {
  const { method = "", rawHeaders } = incoming;
  const { host, pathname } = new URL(target);
  const path = pathname.replace(/\/$/, "") + url.pathname + queryOf(incoming.url);
  return { method, path, headers: sentHeaders(rawHeaders, host, body, method), body };
}

/** What a received body says; undefined for none. */
function contentOf(bytes: Uint8Array | undefined, method: string, encoding: string | undefined): Content | undefined {
  if (method === "HEAD") return { unread: "the answer to HEAD has no body" };
  if (bytes === undefined) return { unread: "the body is too large to check" };
  return bytes.byteLength === 0 ? undefined : jsonContent(bytes, encoding);
}

/** The query of a request target as it came, with its question mark. */
function queryOf(target = ""): string {
  const start = target.indexOf("?");
  return start === -1 ? "" : target.slice(start);
}

function sentence(deviations: readonly Deviation[]): string {
  return `${deviations.map(({ where, message }) => `${where} ${message}`).join("; ")}.`;
}

/** Answers in the proxy's own form, which no client can take for an answer of the API. */
function sendError(
  { incoming, outgoing, corsHeaders }: AdmittedRequest,
  status: number,
  code: string,
  message: string,
  deviations?: readonly Deviation[],
): void {
  const text = JSON.stringify({ error: { code, message, ...(deviations && { deviations }) } });
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
  outgoing.writeHead(status, { ...corsHeaders, ...headers });
  outgoing.end(incoming.method === "HEAD" ? undefined : text);
}
