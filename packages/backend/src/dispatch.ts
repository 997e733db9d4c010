import type { ErrorCode, OperationDescription } from "@call-transfer/spec";
import { authenticate, callerAddress, limitRate, restrictKey, selectAccount, type Tokens } from "./authenticate.ts";
import type { Contract } from "./contract.ts";
import type { AnyExchange, AnyHandler, World } from "./exchange.ts";
import { type Fault, faultProblem } from "./faults.ts";
import { type Answer, isProblem, problem } from "./problem.ts";
import { isUuid, readBody, readQuery } from "./validate.ts";

/** What answers requests: the world, and the tables that say how. */
export interface Dispatcher {
  readonly world: World;
  readonly contract: Contract;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly tokens: Tokens;
  readonly faults: { take(operation: OperationDescription, path: string): Fault["do"] | undefined };
}

/** An answer with what the journal wants to know about it. */
export interface Dispatched {
  readonly response: Response;
  readonly operationId?: string;
  readonly code?: ErrorCode;
}

/** Answers one request under `/api/v1`; whatever a rule throws becomes `internal_error`, without its message. */
export async function dispatch(
  dispatcher: Dispatcher,
  request: Request,
  url: URL,
  requestId: string,
  peer: string | undefined,
): Promise<Dispatched> {
  const { world, contract, faults } = dispatcher;
  const match = contract.match(request.method, url.pathname);
  if (match === undefined || "allow" in match) {
    const headers = match && { Allow: match.allow.join(", ") };
    return respond(world, problem("not_found", { ...(headers && { headers }) }), requestId);
  }
  const { operation, params } = match;
  const fault = faults.take(operation, url.pathname);
  if (fault !== undefined && "status" in fault)
    return { response: rawResponse(fault, baseHeaders(world, requestId)), operationId: operation.id };
  let answer: Answer;
  try {
    answer = fault
      ? faultProblem(fault.code, world.clock.now())
      : await answerOperation(dispatcher, request, url, operation, params, peer);
  } catch {
    answer = problem("internal_error");
  }
  return { ...respond(world, answer, requestId), operationId: operation.id };
}

/** The one order of checks; each stage ends the request with its own status. */
async function answerOperation(
  { world, contract, handlers, tokens }: Dispatcher,
  request: Request,
  url: URL,
  operation: OperationDescription,
  params: Readonly<Record<string, string>>,
  peer: string | undefined,
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
  const body = operation.hasBody ? await readBody(request, schema?.body) : { value: undefined };
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

/** Builds the response, once: a header that is set afterwards is costly. */
function respond(world: World, answer: Answer, requestId: string): Dispatched {
  const headers = baseHeaders(world, requestId);
  if (!isProblem(answer)) {
    const { status, body } = answer;
    if (body === undefined) return { response: new Response(null, { status, headers }) };
    headers["Content-Type"] = "application/json";
    return { response: new Response(JSON.stringify(body), { status, headers }) };
  }
  const { code, status, meta } = answer.problem;
  headers["Content-Type"] = "application/json";
  if (world.policies.retryAfterHeader && meta?.retryAfterSecs !== undefined)
    headers["Retry-After"] = String(Math.ceil(meta.retryAfterSecs));
  Object.assign(headers, answer.headers);
  const body = JSON.stringify({ ...answer.problem, requestId });
  return { response: new Response(body, { status, headers }), code };
}

/** What every answer carries; the date is the backend's own, so that a client can correct its clock by it. */
function baseHeaders({ clock }: World, requestId: string): Record<string, string> {
  return { "X-Request-Id": requestId, Date: new Date(clock.now()).toUTCString() };
}

function rawResponse(fault: Exclude<Fault["do"], { code: ErrorCode }>, base: Record<string, string>): Response {
  const { status, body } = fault;
  const headers = new Headers(base);
  if (body !== undefined) headers.set("Content-Type", typeof body === "string" ? "text/plain" : "application/json");
  for (const [name, value] of Object.entries(fault.headers ?? {})) headers.set(name, value);
  const isEmpty = body === undefined || [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : typeof body === "string" ? body : JSON.stringify(body), { status, headers });
}
