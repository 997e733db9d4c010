import type { Random } from "../utils/random.ts";
import { elapsed } from "../utils/real-time.ts";
import { forLog } from "../utils/redact.ts";
import { type Dispatched, dispatch } from "./dispatch.ts";
import type { Recorder } from "./journal/recorder.ts";
import { createDateFormatter, type Sent } from "./respond.ts";
import { type Dispatcher, maxRecordedBytes } from "./routed-request.ts";
import { type HandledResponse, type IncomingRequest, isWhole, LazyResponse } from "./transport/transport.ts";

/** What it takes to respond to requests and to record them. */
interface AnswerContext extends Omit<Dispatcher, "formatDate"> {
  readonly requestIds: Pick<Random, "uuid">;
  readonly record: Recorder;
}

/** Responds to a request to the API. */
export type AnswerRequest = (
  request: IncomingRequest,
  url: URL,
  peerAddress: string | undefined,
) => Promise<HandledResponse>;

/** Creates the function that responds to requests to the API and records them in the journal. */
export function createAnswer({ requestIds, record, ...context }: AnswerContext): AnswerRequest {
  const dispatcher: Dispatcher = { ...context, formatDate: createDateFormatter() };
  const { clock } = context.world;
  return async (request, url, peerAddress) => {
    const start = elapsed();
    const requestId = requestIds.uuid();
    if (clock.isDue) await clock.runDue();
    const at = clock.iso();
    const dispatched = await dispatch(dispatcher, { request, url, requestId, peerAddress });
    const { sent, requestBody } = dispatched;
    const { response, transport, text } = sent;
    const { method, headers, bodyBytes, body } = request;
    const path = forLog(url.pathname);
    const durationMs = elapsedSince(start);
    record(withOutcome({ at, method, path, status: statusOf(sent), requestId, durationMs }, dispatched), {
      url,
      headers,
      requestBody,
      requestBytes: requestBody === undefined ? ifShort(bodyBytes) : undefined,
      hasBody: bodyBytes === undefined ? body !== null : bodyBytes.byteLength > 0,
      responseHeaders: response.headers,
      responseText: ifShort(text),
      effects: dispatched.reasons.effects,
      peerAddress,
    });
    const handled = isWhole(response) ? { response } : new LazyResponse(response);
    return transport === undefined ? handled : { response: handled.response, transport };
  };
}

type NewEntry = Parameters<Recorder>[0];

/** Adds the outcome to an entry. Field by field, because merging objects takes longer than a check of the request. */
function withOutcome(
  entry: Omit<NewEntry, "decidedBy">,
  { sent: { code }, reasons, operationId, stub, fault }: Dispatched,
): NewEntry {
  const { decidedBy, caller, error } = reasons;
  const added: { -readonly [Field in keyof NewEntry]: NewEntry[Field] } =
    code === undefined ? { ...entry, decidedBy } : { ...entry, code, decidedBy };
  if (caller !== undefined) added.caller = caller;
  if (error !== undefined) added.error = error;
  if (operationId !== undefined) added.operationId = operationId;
  if (stub !== undefined) added.stub = stub;
  if (fault !== undefined) added.fault = fault;
  return added;
}

/** A body that the journal keeps; undefined if it is too long. */
function ifShort<Body extends string | Uint8Array>(body: Body | undefined): Body | undefined {
  return body !== undefined && body.length <= maxRecordedBytes ? body : undefined;
}

/** Milliseconds since a time of `elapsed()`, to a hundredth. */
function elapsedSince(start: number): number {
  return Math.round((elapsed() - start) * 100) / 100;
}

/** The status that the client sees; 0 if a fault withholds the response. */
function statusOf({ response, transport }: Sent): number {
  return transport === undefined || transport.kind === "truncate" ? response.status : 0;
}
