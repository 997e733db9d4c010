import type { ErrorCode } from "@call-transfer/spec";
import { slowBody, withUnknownEnums } from "../faults/apply-fault.ts";
import type { BackendState } from "../model/state.ts";
import { type Answer, problem } from "../utils/problem.ts";
import { hasSecret } from "../utils/redact.ts";
import type { Dispatcher } from "./exchange.ts";
import type { PlainResponse, TransportFault } from "./transport.ts";

/** A response, and how it is to be sent. */
export interface Sent {
  readonly response: Response | PlainResponse;
  readonly code?: ErrorCode;
  readonly transport?: TransportFault;
  /** The response body; absent if it is damaged. */
  readonly text?: string | undefined;
}

/** A fault action that damages the response in transit. */
export type Corruption = "process_then_reset" | "truncate" | "slow_body" | "wrong_content_type" | "unknown_enum_value";

/** Serializes an answer. Sets all headers at once, because setting one later is slow. */
export function respond(dispatcher: Dispatcher, requestId: string, answer: Answer, corruption?: Corruption): Sent {
  const { backend } = dispatcher;
  const headers = baseHeaders(dispatcher, requestId);
  if (answer.problem === undefined) {
    const { status, body, headers: own } = answer;
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    if (text !== undefined) headers["Content-Type"] = text === body ? "text/plain" : "application/json";
    if (hasSecret(body)) headers["Cache-Control"] = "no-store";
    // In lower case, so that own headers replace those of the same name.
    const all = own === undefined ? headers : { ...namesInLowerCase(headers), ...namesInLowerCase(own) };
    const plain = { status, headers: all, text: bodiless.includes(status) ? undefined : text };
    return corruption === undefined ? { response: plain, text: plain.text } : damaged(plain, corruption, backend);
  }
  const { code, status, meta } = answer.problem;
  headers["Content-Type"] = "application/json";
  if (backend.policies.sendRetryAfterHeader && meta?.retryAfterSecs !== undefined)
    headers["Retry-After"] = String(Math.ceil(meta.retryAfterSecs));
  Object.assign(headers, challengeOf(status), answer.headers);
  const text = JSON.stringify({ ...answer.problem, requestId });
  const plain = { status, headers, text };
  return { ...(corruption === undefined ? { response: plain, text } : damaged(plain, corruption, backend)), code };
}

/** Applies a fault to the finished response. */
function damaged(response: PlainResponse, corruption: Corruption, { clock }: BackendState): Sent {
  const { status, headers, text } = response;
  const whole = () => new Response(text ?? null, { status, headers });
  if (corruption === "process_then_reset") return { response: whole(), transport: { kind: "reset" } };
  if (corruption === "truncate") {
    const bytes = Math.floor((text ?? "").length / 2);
    return { response: whole(), transport: { kind: "truncate", bytes } };
  }
  if (text === undefined) return { response };
  if (corruption === "slow_body") return { response: new Response(slowBody(text, clock), { status, headers }) };
  if (corruption === "unknown_enum_value") return { response: { ...response, text: withUnknownEnums(text) } };
  return { response: { ...response, headers: { ...headers, "Content-Type": "text/html" } } };
}

/** The statuses of responses that have no body. */
const bodiless: readonly number[] = [204, 205, 304];

const namesInLowerCase = (headers: Readonly<Record<string, string>>) => Object.fromEntries(new Headers(headers));

/** The headers of every response. The date is the backend's, so that clients can correct their clocks by it. */
function baseHeaders({ backend, formatDate }: Dispatcher, requestId: string): Record<string, string> {
  return { "X-Request-Id": requestId, Date: formatDate(backend.clock.now()) };
}

/** Creates a formatter for the `Date` header that caches the latest second. */
export function createDateFormatter(): (at: number) => string {
  let cached = { second: Number.NaN, text: "" };
  return (at) => {
    const second = Math.floor(at / 1000);
    if (second !== cached.second) cached = { second, text: new Date(at).toUTCString() };
    return cached.text;
  };
}

/** Creates an error response for a request that never reaches a backend, e.g. one that is malformed as HTTP. */
export function errorResponse(code: ErrorCode, detail: string): Response {
  const requestId = crypto.randomUUID();
  const { problem: body } = problem(code, { detail });
  const headers = { "X-Request-Id": requestId, ...challengeOf(body.status) };
  return Response.json({ ...body, requestId }, { status: body.status, headers });
}

/** The header that each 401 needs (RFC 9110, 11.6.1): it names the scheme. */
function challengeOf(status: number): Readonly<Record<string, string>> {
  return status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
}
