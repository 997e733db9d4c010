import { faultProblem } from "../faults/apply-fault.ts";
import type { MatchedFaults } from "../faults/faults.ts";
import type { RequestCriteria } from "../faults/match-fault.ts";
import type { BackendState } from "../model/state.ts";
import { problem } from "../utils/problem.ts";
import { forLog } from "../utils/redact.ts";
import { decisionOf, type Processed, type Reasons, reasonsOf } from "./decision.ts";
import {
  type Dispatcher,
  type DispatchInput,
  type ForeignAnswer,
  maxRecordedBytes,
  type RoutedRequest,
} from "./exchange.ts";
import { processRequest, thrownText } from "./process-request.ts";
import { findStub, processStub } from "./process-stub.ts";
import { type Corruption, respond, type Sent } from "./respond.ts";
import type { ActiveStub } from "./stubs.ts";
import { untilAborted } from "./transport.ts";
import { maxBodyBytesOf, readAhead, readBody } from "./validate.ts";

/** A response, and why it is as it is. */
interface Responded {
  readonly sent: Sent;
  readonly reasons: Reasons;
}

/** A response, and what the request log records about it. */
export interface Dispatched extends Responded {
  readonly operationId?: string | undefined;
  /** The id of the stub that matched the request. */
  readonly stub?: string | undefined;
  /** The id of the fault that matched the request. */
  readonly fault?: string | undefined;
  /** The request body, if it is small enough to record. */
  readonly requestBody?: unknown;
}

/** A fault action that replaces the response. */
type Replacement = Exclude<NonNullable<MatchedFaults["action"]>, Corruption>;
/**
 * Responds to a request under `/api/v1`. An exception becomes `internal_error`, without its message. Operations take a fast path
 * that skips stubs and other servers.
 */
export function dispatch(dispatcher: Dispatcher, input: DispatchInput): Promise<Dispatched> {
  const { request, url } = input;
  const match = dispatcher.table.match(request.method, url.pathname);
  return match !== undefined && "operation" in match
    ? dispatchTo(dispatcher, input, match)
    : dispatchElsewhere(dispatcher, input, match?.allow);
}

/** Responds by a stub, by another server, or that nothing was found. `allow` are the methods of a path that is known. */
async function dispatchElsewhere(
  dispatcher: Dispatcher,
  input: DispatchInput,
  allow: readonly string[] | undefined,
): Promise<Dispatched> {
  const stubbed = await findStub(dispatcher, input);
  if (stubbed !== undefined) {
    const { stub, params, request } = stubbed;
    return await dispatchTo(dispatcher, { ...input, request }, { operation: stub.operation, params }, stub);
  }
  const foreign = await askElsewhere(dispatcher, input);
  if (foreign !== undefined) {
    const { response, text, detail } = foreign;
    const decidedBy = { step: "fallback", detail: forLog(detail) } as const;
    return { sent: { response, text }, reasons: { decidedBy } };
  }
  const answer = problem("not_found", allow === undefined ? {} : { headers: { Allow: allow.join(", ") } });
  const sent = respond(dispatcher, input.requestId, answer);
  return { sent, reasons: { decidedBy: decisionOf("route", answer) } };
}

/** Responds to a request to an operation, or to a stub in place of one. */
async function dispatchTo(
  dispatcher: Dispatcher,
  input: DispatchInput,
  { operation, params }: Pick<RoutedRequest, "operation" | "params">,
  stub?: ActiveStub,
): Promise<Dispatched> {
  const { url, requestId, peerAddress } = input;
  let { request } = input;
  let criteria: RequestCriteria = { operation, url, headers: request.headers };
  if (dispatcher.faults.asksForBody(criteria)) {
    const ahead = await readAhead(request);
    request = ahead.request;
    criteria = { ...criteria, body: ahead.value };
  }
  const faults = dispatcher.faults.match(criteria, requestId);
  let requestBody: unknown;
  const recordBody = (value: unknown, bytes: number): void => {
    if (bytes <= maxRecordedBytes) requestBody = value;
  };
  const routed = { request, url, requestId, peerAddress, operation, params, stub, recordBody };
  const { sent, reasons } = await respondWithFaults(dispatcher, routed, faults);
  return {
    sent,
    reasons,
    operationId: stub === undefined ? operation.id : undefined,
    stub: stub?.id,
    fault: faults.id,
    requestBody,
  };
}

/** The answer of another server. It gets the whole body, so a body that is too long or broken is not passed on. */
async function askElsewhere(
  { elsewhere }: Dispatcher,
  { request, url }: DispatchInput,
): Promise<ForeignAnswer | undefined> {
  if (elsewhere === undefined) return undefined;
  const isUnread = request.bodyBytes === undefined && request.body !== null;
  const read = isUnread ? (await readAhead(request)).request : request;
  const isWhole = read.body === null && (read.bodyBytes?.byteLength ?? 0) <= maxBodyBytesOf(undefined);
  return isWhole ? elsewhere(read, url) : undefined;
}

async function respondWithFaults(
  dispatcher: Dispatcher,
  routed: RoutedRequest,
  { id, latencyMs, action }: MatchedFaults,
): Promise<Responded> {
  const byFault = (detail: string): Reasons => ({ decidedBy: { step: "fault", detail: `The fault ${id} ${detail}.` } });
  if (latencyMs > 0 && !(await waitFor(latencyMs, dispatcher.backend, routed))) {
    await recordUnreadBody(routed);
    return { sent: noResponse(), reasons: byFault("delayed the response, and the client disconnected") };
  }
  if (action !== undefined && !isCorruption(action))
    return { sent: await replaceResponse(dispatcher, routed, action), reasons: byFault("replaced the response") };
  const { request, requestId, operation } = routed;
  const written = (processed: Processed): Responded => ({
    sent: respond(dispatcher, requestId, processed.answer, action),
    reasons: reasonsOf(processed, operation, request.headers.get("x-account-id"), dispatcher.backend.state),
  });
  try {
    if (routed.stub !== undefined) return written(await processStub(dispatcher, routed, routed.stub));
    const processed = processRequest(dispatcher, routed);
    // Not by `instanceof`: zone.js replaces the global `Promise`, and asynchronous functions return the original.
    return written("then" in processed ? await processed : processed);
  } catch (error) {
    if (request.signal?.aborted !== true)
      return written({ step: "operation", answer: problem("internal_error"), error: thrownText(error) });
    const detail = "The client disconnected before its body was read.";
    return { sent: noResponse(), reasons: { decidedBy: { step: "body", detail } } };
  }
}

/** The client has disconnected: nothing is processed, and no response can reach it. */
function noResponse(): Sent {
  return { response: new Response(), transport: { kind: "hang" } };
}

/** Waits on the backend's clock; false if the client aborts first. */
async function waitFor(
  latencyMs: number,
  { clock }: BackendState,
  { request, requestId }: RoutedRequest,
): Promise<boolean> {
  const wait = clock.sleep(latencyMs, requestId);
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
  if ("status" in action) return respond(dispatcher, routed.requestId, action);
  const error = "code" in action ? action : { code: "rate_limit_exceeded" as const, meta: action.rateLimit };
  return respond(dispatcher, routed.requestId, faultProblem(error, dispatcher.backend.clock.now()));
}

/** Reads the body of an unprocessed request, for the request log only. */
async function recordUnreadBody({ request, operation, recordBody }: RoutedRequest): Promise<void> {
  if (!operation.hasBody) return;
  const { method, url, headers, body } = request;
  // Without the signal: what the client sent before it disconnected is recorded, too. Bytes that a server has read are anyway.
  const sent = { method, url, headers, body };
  await readBody(sent, undefined, recordBody).catch(() => {
    // The client has disconnected in the middle of the body.
  });
}
