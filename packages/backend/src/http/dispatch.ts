import type { ErrorCode, OperationDescription } from "@call-transfer/spec";
import { slowBody, withUnknownEnums } from "../faults/corrupt-response.ts";
import type { FaultAction } from "../faults/fault.ts";
import { type FaultQueue, faultProblem, type MatchedFaults } from "../faults/faults.ts";
import type { Effects } from "../model/changes/effects.ts";
import { type Answer, isProblem, problem } from "../model/errors/problem.ts";
import type { Moment } from "../model/past.ts";
import { hasSecret, withoutCredentials } from "../model/values/redact.ts";
import type { World } from "../model/world.ts";
import { type Decision, decisionOf, describeCaller, type RequestCaller } from "./checks/decision.ts";
import type { AnyHandler } from "./checks/exchange.ts";
import type { OperationTable } from "./checks/router.ts";
import type { Tokens } from "./checks/tokens.ts";
import { readAhead, readBody } from "./checks/validate.ts";
import { type Processed, processRequest, thrownText } from "./process-request.ts";
import { type IncomingRequest, type PlainResponse, type TransportFault, untilAborted } from "./transport/transport.ts";

/** The parts of a backend that respond to requests. */
export interface Dispatcher {
  readonly world: World;
  readonly table: OperationTable;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly tokens: Tokens;
  readonly faults: Pick<FaultQueue, "asksForBody" | "match">;
  readonly formatDate: ReturnType<typeof createDateFormatter>;
}

/** A request to dispatch. */
export interface DispatchInput {
  readonly request: IncomingRequest;
  readonly url: URL;
  readonly requestId: string;
  /** The address of the client's end of the connection. */
  readonly peerAddress: string | undefined;
}

/** A response, and how it is to be sent. */
interface Sent {
  readonly response: Response | PlainResponse;
  readonly code?: ErrorCode;
  readonly transport?: TransportFault;
  /** The response body. */
  readonly text?: string;
}

/** A response, and what the journal records about it. */
export interface Dispatched extends Sent, Reasons {
  readonly operationId?: string;
  /** The id of the fault that matched the request. */
  readonly fault?: string;
  /** The request body, if it is small enough to record. */
  readonly requestBody?: unknown;
  /** What the request found. */
  readonly found?: Moment;
  /** What the fault did, except for a delay. */
  readonly faultAction?: MatchedFaults["action"];
}

/** Why a response is as it is. */
interface Reasons {
  readonly decidedBy: Decision;
  readonly caller?: RequestCaller;
  /** What a handler threw; never part of the response. */
  readonly error?: string;
  readonly effects?: Effects;
}

/** A routed request. */
export interface RoutedRequest extends DispatchInput {
  readonly operation: OperationDescription;
  readonly params: Readonly<Record<string, string>>;
  /** Records the request body for the journal. */
  readonly recordBody: (value: unknown, bytes: number) => void;
  /** Notes what the request finds now that it has waited. `isCounted`: it is in its rate-limit window already. */
  readonly look: (isCounted: boolean) => void;
}

/** The largest body that the journal records, in bytes. */
export const maxRecordedBytes = 16_384;

/** A fault action that replaces the response. */
type Replacement = Exclude<NonNullable<MatchedFaults["action"]>, Corruption>;
/** A fault action that damages the response in transit. */
type Corruption = "processThenDrop" | "truncate" | "slowBody" | "wrongContentType" | "unknownEnum";

/** Responds to a request under `/api/v1`. An exception becomes `internal_error`, without its message. */
export async function dispatch(dispatcher: Dispatcher, input: DispatchInput): Promise<Dispatched> {
  const { request, url, requestId } = input;
  const match = dispatcher.table.match(request.method, url.pathname);
  if (match === undefined || "allow" in match) {
    const headers = match && { Allow: match.allow.join(", ") };
    const answer = problem("not_found", { ...(headers && { headers }) });
    return { ...respond(dispatcher, requestId, answer), decidedBy: decisionOf("route", answer) };
  }
  const criteria = { operation: match.operation, url, headers: request.headers };
  const ahead = dispatcher.faults.asksForBody(criteria) ? await readAhead(request) : undefined;
  const readCriteria = ahead === undefined ? criteria : { ...criteria, body: ahead.value };
  const faults = dispatcher.faults.match(readCriteria, requestId);
  let requestBody: unknown;
  const recordBody = (value: unknown, bytes: number): void => {
    if (bytes <= maxRecordedBytes) requestBody = value;
  };
  const { past } = dispatcher.world;
  let found = past.moment();
  const look = (isCounted: boolean): void => {
    found = past.moment(isCounted ? found : undefined);
  };
  const dispatched = await respondWithFaults(
    dispatcher,
    { ...input, ...match, request: ahead?.request ?? request, recordBody, look },
    faults,
  );
  return {
    ...dispatched,
    operationId: match.operation.id,
    ...(faults.id !== undefined && { fault: faults.id }),
    ...(requestBody !== undefined && { requestBody }),
    ...(faults.action !== undefined && { faultAction: faults.action }),
    found,
  };
}

async function respondWithFaults(
  dispatcher: Dispatcher,
  routed: RoutedRequest,
  { id, latency, action }: MatchedFaults,
): Promise<Sent & Reasons> {
  const byFault = (detail: string): Reasons => ({ decidedBy: { step: "fault", detail: `The fault ${id} ${detail}.` } });
  if (latency > 0 && !(await waitFor(latency, dispatcher.world, routed))) {
    await recordUnreadBody(routed);
    return { ...noResponse(), ...byFault("delayed the response, and the client disconnected") };
  }
  if (latency > 0) routed.look(false);
  if (action !== undefined && !isCorruption(action))
    return { ...(await replaceResponse(dispatcher, routed, action)), ...byFault("replaced the response") };
  try {
    const processed = await processRequest(dispatcher, routed);
    return {
      ...respond(dispatcher, routed.requestId, processed.answer, action),
      ...reasonsOf(processed, routed, dispatcher),
    };
  } catch (error) {
    if (routed.request.signal?.aborted === true)
      return {
        ...noResponse(),
        decidedBy: { step: "body", detail: "The client disconnected before its body was read." },
      };
    const answer = problem("internal_error");
    const decidedBy = decisionOf("operation", answer, routed.operation);
    return {
      ...respond(dispatcher, routed.requestId, answer, action),
      decidedBy,
      error: withoutCredentials(thrownText(error)),
    };
  }
}

/** The client has disconnected: nothing is processed, and no response can reach it. */
function noResponse(): Sent {
  return { response: new Response(), transport: { kind: "hang" } };
}

function reasonsOf(
  { step, answer, caller, account, error, effects }: Processed,
  { operation, request }: RoutedRequest,
  { world }: Dispatcher,
): Reasons {
  const accountId = account?.id ?? request.headers.get("x-account-id") ?? undefined;
  return {
    decidedBy: decisionOf(step, answer, operation),
    ...(caller && { caller: describeCaller(caller, accountId, world.state) }),
    ...(error !== undefined && { error: withoutCredentials(error) }),
    ...(effects && { effects }),
  };
}

/** Waits on the backend's clock; false if the client aborts first. */
async function waitFor(latency: number, { clock }: World, { request, requestId }: RoutedRequest): Promise<boolean> {
  const wait = clock.sleep(latency, requestId);
  clock.track(wait);
  try {
    await untilAborted(wait, request.signal);
    return true;
  } catch {
    return false;
  }
}

function isCorruption(action: NonNullable<MatchedFaults["action"]>): action is Corruption {
  return typeof action === "string" && action !== "reset" && action !== "empty" && action !== "hang";
}

/** Responds as the fault says, without processing the request. */
async function replaceResponse(dispatcher: Dispatcher, routed: RoutedRequest, action: Replacement): Promise<Sent> {
  await recordUnreadBody(routed);
  if (typeof action === "string") return { response: new Response(), transport: { kind: action } };
  if ("status" in action) {
    const text = typeof action.body === "string" ? action.body : JSON.stringify(action.body);
    return {
      response: rawResponse(action, baseHeaders(dispatcher, routed.requestId)),
      ...(text !== undefined && text.length <= maxRecordedBytes && { text }),
    };
  }
  const error = "code" in action ? action : { code: "rate_limit_exceeded" as const, meta: action.rateLimit };
  return respond(dispatcher, routed.requestId, faultProblem(error, dispatcher.world.clock.now()));
}

/** Reads the body of an unprocessed request, for the journal only. */
async function recordUnreadBody({ request, operation, recordBody }: RoutedRequest): Promise<void> {
  if (!operation.hasBody) return;
  const { method, url, headers, body, bodyBytes } = request;
  // Without the signal: what the client sent before it disconnected is recorded, too.
  const sent = { method, url, headers, body, ...(bodyBytes && { bodyBytes }) };
  await readBody(sent, undefined, recordBody).catch(() => {
    // The client has disconnected in the middle of the body.
  });
}

/** Creates an error response for a request that never reaches a backend, e.g. one that is malformed as HTTP. */
export function errorResponse(code: ErrorCode, detail: string): Response {
  const requestId = crypto.randomUUID();
  const { problem: body } = problem(code, { detail });
  const headers = { "X-Request-Id": requestId, ...challengeOf(body.status) };
  return Response.json({ ...body, requestId }, { status: body.status, headers });
}

/** The header that each 401 needs (RFC 9110, 11.6.1): it names the scheme. */
export function challengeOf(status: number): Readonly<Record<string, string>> {
  return status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
}

/** Serializes the result of a handler. Sets all headers at once, because setting one later is slow. */
function respond(dispatcher: Dispatcher, requestId: string, answer: Answer, corruption?: Corruption): Sent {
  const { world } = dispatcher;
  const headers = baseHeaders(dispatcher, requestId);
  if (!isProblem(answer)) {
    const { status, body } = answer;
    if (body === undefined) return send(world, { status, headers, text: undefined }, corruption);
    headers["Content-Type"] = "application/json";
    if (hasSecret(body)) headers["Cache-Control"] = "no-store";
    return send(world, { status, headers, text: JSON.stringify(body) }, corruption);
  }
  const { code, status, meta } = answer.problem;
  headers["Content-Type"] = "application/json";
  if (world.policies.retryAfterHeader && meta?.retryAfterSecs !== undefined)
    headers["Retry-After"] = String(Math.ceil(meta.retryAfterSecs));
  Object.assign(headers, challengeOf(status), answer.headers);
  const text = JSON.stringify({ ...answer.problem, requestId });
  return { ...send(world, { status, headers, text }, corruption), code };
}

/** Applies a fault to the finished response. */
function send({ clock }: World, response: PlainResponse, corruption: Corruption | undefined): Sent {
  const { status, headers, text } = response;
  if (corruption === undefined)
    return text === undefined || text.length > maxRecordedBytes ? { response } : { response, text };
  const whole = () => new Response(text ?? null, { status, headers });
  if (corruption === "processThenDrop") return { response: whole(), transport: { kind: "reset" } };
  if (corruption === "truncate") {
    const bytes = Math.floor((text ?? "").length / 2);
    return { response: whole(), transport: { kind: "truncate", bytes } };
  }
  if (text === undefined) return { response };
  if (corruption === "slowBody") return { response: new Response(slowBody(text, clock), { status, headers }) };
  if (corruption === "unknownEnum") return { response: { ...response, text: withUnknownEnums(text) } };
  return { response: { ...response, headers: { ...headers, "Content-Type": "text/html" } } };
}

/** The headers of every response. The date is the backend's, so that clients can correct their clocks by it. */
function baseHeaders({ world, formatDate }: Dispatcher, requestId: string): Record<string, string> {
  return { "X-Request-Id": requestId, Date: formatDate(world.clock.now()) };
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

function rawResponse(action: Extract<FaultAction, { status: number }>, base: Record<string, string>): Response {
  const { status, body } = action;
  const headers = new Headers(base);
  if (body !== undefined) headers.set("Content-Type", typeof body === "string" ? "text/plain" : "application/json");
  for (const [name, value] of Object.entries(action.headers ?? {})) headers.set(name, value);
  const isEmpty = body === undefined || [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : typeof body === "string" ? body : JSON.stringify(body), { status, headers });
}
