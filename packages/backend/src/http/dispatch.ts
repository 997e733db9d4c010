import type { ErrorCode, OperationDescription } from "@call-transfer/spec";
import { dripping, withUnknownEnums } from "../faults/corrupt-response.ts";
import { type FaultAction, faultProblem, type Met } from "../faults/faults.ts";
import { type Answer, isProblem, problem } from "../model/problem.ts";
import { isUuid } from "../model/uuid.ts";
import type { World } from "../model/world.ts";
import { authenticate, callerAddress, limitRate, restrictKey, selectAccount, type Tokens } from "./authenticate.ts";
import type { AnyExchange, AnyHandler } from "./exchange.ts";
import type { Contract } from "./router.ts";
import { type Asked, type PlainAnswer, type TransportFault, untilAborted } from "./transport.ts";
import { readBody, readQuery } from "./validate.ts";

/** What answers requests: the world, and the tables that say how. */
export interface Dispatcher {
  readonly world: World;
  readonly contract: Contract;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly tokens: Tokens;
  readonly faults: { take(operation: OperationDescription, path: string): Met };
  readonly dateOf: ReturnType<typeof createDates>;
}

/** An answer with what the journal wants to know about it. */
export interface Dispatched {
  readonly answer: Response | PlainAnswer;
  readonly operationId?: string;
  readonly code?: ErrorCode;
  /** The fault that met the request. */
  readonly fault?: string;
  readonly transport?: TransportFault;
  /** The answer's body. */
  readonly text?: string;
  /** What a rule threw; never part of the answer. */
  readonly error?: string;
  /** What was sent, where it was small enough to keep. */
  readonly body?: unknown;
}

/** Larger bodies are not kept for the journal, in bytes. */
const mostKept = 16_384;

/** Answers one request under `/api/v1`; whatever a rule throws becomes `internal_error`, without its message. */
export async function dispatch(
  dispatcher: Dispatcher,
  request: Asked,
  url: URL,
  requestId: string,
  peer: string | undefined,
): Promise<Dispatched> {
  const { world, contract, faults } = dispatcher;
  const match = contract.match(request.method, url.pathname);
  if (match === undefined || "allow" in match) {
    const headers = match && { Allow: match.allow.join(", ") };
    return respond(dispatcher, problem("not_found", { ...(headers && { headers }) }), requestId);
  }
  const { operation, params } = match;
  const { latency, action, id: fault } = faults.take(operation, url.pathname);
  let body: unknown;
  const keep = (value: unknown, bytes: number): void => {
    if (bytes <= mostKept) body = value;
  };
  const about = () => ({
    operationId: operation.id,
    ...(fault !== undefined && { fault }),
    ...(body !== undefined && { body }),
  });
  if (latency > 0) {
    const wait = world.clock.sleep(latency, requestId);
    world.clock.track(wait);
    try {
      await untilAborted(wait, request.signal);
    } catch {
      // The caller has gone: no answer reaches it, and nothing is carried out.
      await readUnanswered(request, operation, keep);
      return { answer: new Response(), transport: { kind: "hang" }, ...about() };
    }
  }
  const replaces = typeof action === "object" || action === "reset" || action === "empty" || action === "hang";
  if (replaces) await readUnanswered(request, operation, keep);
  if (typeof action === "object" && "status" in action)
    return { answer: rawResponse(action, baseHeaders(dispatcher, requestId)), ...about() };
  if (action === "reset" || action === "empty" || action === "hang")
    return { answer: new Response(), transport: { kind: action }, ...about() };
  let answer: Answer;
  let thrown: string | undefined;
  try {
    answer =
      typeof action === "object"
        ? problemOf(action, world.clock.now())
        : await answerOperation(dispatcher, request, url, operation, params, peer, keep);
  } catch (error) {
    thrown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    answer = problem("internal_error");
  }
  const dispatched = respond(dispatcher, answer, requestId, typeof action === "string" ? action : undefined);
  return {
    ...dispatched,
    ...about(),
    ...(thrown !== undefined && { error: thrown }),
  };
}

/** Reads a body that no rule looks at, for the journal alone. */
async function readUnanswered(
  request: Asked,
  operation: OperationDescription,
  keep: (value: unknown, bytes: number) => void,
): Promise<void> {
  if (!operation.hasBody) return;
  await readBody(request, undefined, keep).catch(() => {
    // The caller has gone, and its body with it.
  });
}

function problemOf(
  action: Exclude<FaultAction, string | { status: number } | { latency: number }>,
  now: number,
): Answer {
  return faultProblem("code" in action ? action : { code: "rate_limit_exceeded", meta: action.rateLimit }, now);
}

/** The one order of checks; each stage ends the request with its own status. */
async function answerOperation(
  { world, contract, handlers, tokens }: Dispatcher,
  request: Asked,
  url: URL,
  operation: OperationDescription,
  params: Readonly<Record<string, string>>,
  peer: string | undefined,
  keep: (value: unknown, bytes: number) => void,
): Promise<Answer> {
  const { state, clock, policies } = world;
  const { headers } = request;
  const caller = await authenticate(headers, state, tokens, clock.now());
  if (isProblem(caller)) return caller;
  const restricted = restrictKey(caller, operation, callerAddress(headers, peer, policies));
  if (restricted) return restricted;
  const account = selectAccount(headers, caller, operation, params, state);
  if (account !== undefined && isProblem(account)) return account;
  const limited = limitRate(caller, state, policies, clock.now());
  if (limited) return limited;
  for (const [name, value] of Object.entries(params))
    if (!isUuid(value)) return problem("invalid_id_format", { detail: `The path parameter ${name} is not a UUID.` });
  const schema = contract.schemas[operation.id];
  const query = readQuery(url.searchParams, operation, schema?.query);
  if (isProblem(query)) return query;
  const body = operation.hasBody ? await readBody(request, schema?.body, keep) : { value: undefined };
  if (isProblem(body)) return body;
  const exchange: AnyExchange = { ...world, operation, caller, account, params, query: query.value, body: body.value };
  return (handlers[operation.id] ?? answerExample)(exchange);
}

/** An error answer for a request that never reaches a backend, e.g. one that HTTP itself finds malformed. */
export function refuse(code: ErrorCode, detail: string): Response {
  const requestId = crypto.randomUUID();
  const { problem: body } = problem(code, { detail });
  return Response.json({ ...body, requestId }, { status: body.status, headers: { "X-Request-Id": requestId } });
}

/** What an operation without a rule answers: the contract's first example. */
function answerExample({ operation }: AnyExchange): Answer {
  const [success] = operation.successes;
  if (success === undefined) return problem("internal_error", { detail: "The contract shows no answer." });
  return { status: success.status, ...(success.example !== null && { body: success.example }) };
}

/** Writes the answer down, once: a header that is set afterwards is costly. */
function respond(dispatcher: Dispatcher, answer: Answer, requestId: string, action?: string): Dispatched {
  const { world } = dispatcher;
  const headers = baseHeaders(dispatcher, requestId);
  if (!isProblem(answer)) {
    const { status, body } = answer;
    if (body === undefined) return send(world, undefined, { status, headers }, action);
    headers["Content-Type"] = "application/json";
    return send(world, JSON.stringify(body), { status, headers }, action);
  }
  const { code, status, meta } = answer.problem;
  headers["Content-Type"] = "application/json";
  if (world.policies.retryAfterHeader && meta?.retryAfterSecs !== undefined)
    headers["Retry-After"] = String(Math.ceil(meta.retryAfterSecs));
  Object.assign(headers, answer.headers);
  const body = JSON.stringify({ ...answer.problem, requestId });
  return { ...send(world, body, { status, headers }, action), code };
}

/** The answer as it leaves, after what a fault does to it. */
function send(
  { clock }: World,
  text: string | undefined,
  init: { status: number; headers: Record<string, string> },
  action: string | undefined,
): Dispatched {
  if (action === undefined) {
    const answer = { ...init, text };
    return text === undefined || text.length > mostKept ? { answer } : { answer, text };
  }
  if (action === "processThenDrop") return { answer: new Response(text ?? null, init), transport: { kind: "reset" } };
  if (action === "truncate") {
    const bytes = Math.floor((text ?? "").length / 2);
    return { answer: new Response(text ?? null, init), transport: { kind: "truncate", bytes } };
  }
  if (text === undefined) return { answer: { ...init, text } };
  if (action === "slowBody") return { answer: new Response(dripping(text, clock), init) };
  if (action === "wrongContentType") init.headers["Content-Type"] = "text/html";
  return { answer: { ...init, text: action === "unknownEnum" ? withUnknownEnums(text) : text } };
}

/** What every answer carries; the date is the backend's own, so that a client can correct its clock by it. */
function baseHeaders({ world, dateOf }: Dispatcher, requestId: string): Record<string, string> {
  return { "X-Request-Id": requestId, Date: dateOf(world.clock.now()) };
}

/** Writes the value of the header `Date`, of which many in turn are of one second. */
export function createDates(): (at: number) => string {
  let written = { second: Number.NaN, text: "" };
  return (at) => {
    const second = Math.floor(at / 1000);
    if (second !== written.second) written = { second, text: new Date(at).toUTCString() };
    return written.text;
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
