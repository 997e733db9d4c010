import type { RequestEntry } from "../generated/models.gen.ts";
import { InputError } from "../utils/input-error.ts";
import type { Random } from "../utils/random.ts";
import { elapsed } from "../utils/real-time.ts";
import { forLog } from "../utils/redact.ts";
import { type Dispatched, dispatch } from "./dispatch.ts";
import { type Dispatcher, maxRecordedBytes } from "./exchange.ts";
import type { RecordedExchange, RequestDetail } from "./request-detail.ts";
import type { Recorder, WritableRequestLog } from "./request-log.ts";
import { createDateFormatter, type Sent } from "./respond.ts";
import { type HandledResponse, type IncomingRequest, isWhole, LazyResponse } from "./transport.ts";

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

/** Creates the function that responds to requests to the API and records them in the request log. */
export function createAnswer({ requestIds, record, ...context }: AnswerContext): AnswerRequest {
  const dispatcher: Dispatcher = { ...context, formatDate: createDateFormatter() };
  const { clock } = context.backend;
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

/** A body that the request log keeps; undefined if it is too long. */
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

/** Creates the function that sends the request of a request log entry again. `answerWith` responds to requests and records them so. */
export function createReplay(
  requests: WritableRequestLog,
  record: Recorder,
  answerWith: (recorder: Recorder) => AnswerRequest,
): (id: number) => Promise<RequestDetail> {
  return async (id) => {
    const original = requests.get(id);
    if (original === undefined) throw new InputError("id", `there is no request ${id} in the request log`);
    const exchange = replayable(original, requests.exchangeOf(id));
    let added: RequestEntry = original;
    const answer = answerWith((entry, recorded) => {
      added = record({ ...entry, replayOf: id }, recorded);
      return added;
    });
    const { url, headers, peerAddress } = exchange;
    const bodyBytes = bodyOf(exchange);
    const request = { method: original.method, url: url.href, headers, body: null, ...(bodyBytes && { bodyBytes }) };
    await answer(request, new URL(url), peerAddress);
    return requests.get(added.id) ?? added;
  };
}

/** The request of an entry, if it can be sent again. Throws InputError that says why it cannot. */
function replayable({ id, decidedBy }: RequestEntry, exchange: RecordedExchange | undefined): RecordedExchange {
  const { step } = decidedBy;
  if (step === "server")
    throw new InputError("id", `request ${id} did not reach the backend, so it cannot be sent to it again. ${sendIt}`);
  if (exchange === undefined)
    throw new InputError("id", `the headers and body of request ${id} are no longer kept. ${sendIt}`);
  if (exchange.hasBody && bodyOf(exchange) === undefined)
    throw new InputError("id", `the body of request ${id} is not kept: it is too long, or was not read. ${sendIt}`);
  return exchange;
}

const sendIt = "Send it from the client";

function bodyOf({ requestBody, requestBytes }: RecordedExchange): Uint8Array | undefined {
  return requestBody === undefined ? requestBytes : new TextEncoder().encode(JSON.stringify(requestBody));
}
