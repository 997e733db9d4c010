import type { MatchedFaults } from "../faults/active-faults.ts";
import { faultProblem } from "../faults/fault-problem.ts";
import { problem } from "../model/errors/problem.ts";
import type { Moment } from "../model/past.ts";
import { forLog } from "../model/values/redact.ts";
import type { World } from "../model/world.ts";
import { decisionOf, type Processed, type Reasons, reasonsOf } from "./checks/decision.ts";
import { maxBodyBytesOf, readAhead, readBody } from "./checks/validate.ts";
import type { ForeignAnswer } from "./elsewhere.ts";
import { processRequest, thrownText } from "./process-request.ts";
import { findStub, processStub } from "./process-stub.ts";
import { type Corruption, respond, type Sent } from "./respond.ts";
import { type Dispatcher, type DispatchInput, maxRecordedBytes, type RoutedRequest } from "./routed-request.ts";
import { untilAborted } from "./transport/transport.ts";

/** A response, and why it is as it is. */
interface Responded {
  readonly sent: Sent;
  readonly reasons: Reasons;
}

/** A response, and what the journal records about it. */
export interface Dispatched extends Responded {
  readonly operationId?: string | undefined;
  /** The id of the stub that matched the request. */
  readonly stub?: string | undefined;
  /** The id of the fault that matched the request. */
  readonly fault?: string | undefined;
  /** The request body, if it is small enough to record. */
  readonly requestBody?: unknown;
  /** What the request found. */
  readonly found?: Moment;
  /** What the fault did, except for a delay. */
  readonly faultAction?: MatchedFaults["action"] | undefined;
}

/** A fault action that replaces the response. */
type Replacement = Exclude<NonNullable<MatchedFaults["action"]>, Corruption>;
/** Responds to a request under `/api/v1`. An exception becomes `internal_error`, without its message. */
export async function dispatch(dispatcher: Dispatcher, input: DispatchInput): Promise<Dispatched> {
  const { url, requestId } = input;
  const known = dispatcher.table.match(input.request.method, url.pathname);
  const stubbed = known !== undefined && "operation" in known ? undefined : await findStub(dispatcher, input);
  const match = stubbed === undefined ? known : { ...stubbed, operation: stubbed.stub.operation };
  if (match === undefined || "allow" in match) {
    const foreign = await askElsewhere(dispatcher, input);
    if (foreign !== undefined) {
      const { response, text, detail } = foreign;
      const decidedBy = { step: "elsewhere", detail: forLog(detail) } as const;
      return { sent: { response, text }, reasons: { decidedBy } };
    }
    const headers = match && { Allow: match.allow.join(", ") };
    const answer = problem("not_found", { ...(headers && { headers }) });
    return { sent: respond(dispatcher, requestId, answer), reasons: { decidedBy: decisionOf("route", answer) } };
  }
  const request = stubbed?.request ?? input.request;
  const criteria = { operation: match.operation, url, headers: request.headers };
  const ahead = dispatcher.faults.asksForBody(criteria) ? await readAhead(request) : undefined;
  const readCriteria = ahead === undefined ? criteria : { ...criteria, body: ahead.value };
  const faults = dispatcher.faults.match(readCriteria, requestId);
  let requestBody: unknown;
  const recordBody = (value: unknown, bytes: number): void => {
    if (bytes <= maxRecordedBytes) requestBody = value;
  };
  const { changes } = dispatcher.world;
  let found = changes.moment();
  const look = (isCounted: boolean): void => {
    found = changes.moment(isCounted ? found : undefined);
  };
  const { operation, params } = match;
  const { peerAddress } = input;
  const stub = stubbed?.stub;
  const read = ahead?.request ?? request;
  const { sent, reasons } = await respondWithFaults(
    dispatcher,
    { request: read, url, requestId, peerAddress, operation, params, stub, recordBody, look },
    faults,
  );
  const { id: fault, action: faultAction } = faults;
  const operationId = stub === undefined ? operation.id : undefined;
  return { sent, reasons, operationId, stub: stub?.id, fault, requestBody, faultAction, found };
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
  { id, latency, action }: MatchedFaults,
): Promise<Responded> {
  const byFault = (detail: string): Reasons => ({ decidedBy: { step: "fault", detail: `The fault ${id} ${detail}.` } });
  if (latency > 0 && !(await waitFor(latency, dispatcher.world, routed))) {
    await recordUnreadBody(routed);
    return { sent: noResponse(), reasons: byFault("delayed the response, and the client disconnected") };
  }
  if (latency > 0) routed.look(false);
  if (action !== undefined && !isCorruption(action))
    return { sent: await replaceResponse(dispatcher, routed, action), reasons: byFault("replaced the response") };
  const { request, requestId, operation } = routed;
  const written = (processed: Processed): Responded => ({
    sent: respond(dispatcher, requestId, processed.answer, action),
    reasons: reasonsOf(processed, operation, request.headers.get("x-account-id"), dispatcher.world.state),
  });
  try {
    if (routed.stub !== undefined) return written(await processStub(dispatcher, routed, routed.stub));
    const processed = processRequest(dispatcher, routed);
    return written(processed instanceof Promise ? await processed : processed);
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
  if ("status" in action) return respond(dispatcher, routed.requestId, action);
  const error = "code" in action ? action : { code: "rate_limit_exceeded" as const, meta: action.rateLimit };
  return respond(dispatcher, routed.requestId, faultProblem(error, dispatcher.world.clock.now()));
}

/** Reads the body of an unprocessed request, for the journal only. */
async function recordUnreadBody({ request, operation, recordBody }: RoutedRequest): Promise<void> {
  if (!operation.hasBody) return;
  const { method, url, headers, body } = request;
  // Without the signal: what the client sent before it disconnected is recorded, too. Bytes that a server has read are anyway.
  const sent = { method, url, headers, body };
  await readBody(sent, undefined, recordBody).catch(() => {
    // The client has disconnected in the middle of the body.
  });
}
