import { withCanonicalIds, withCanonicalParams } from "../utils/ids.ts";
import { type Answer, problem } from "../utils/problem.ts";
import { authenticate, callerAddress, limitRate, restrictKey, selectAccount } from "./authenticate.ts";
import type { Processed } from "./decision.ts";
import type { AnyExchange, AnyHandler, Dispatcher, RoutedRequest } from "./exchange.ts";
import { checkIds, type RequestSchema, readBody, readQuery } from "./validate.ts";

/** The query of a request without one. Shared, because building one for each request takes time. */
const noQuery = new URLSearchParams();

/** Checks a request in the one fixed order, then calls its handler. Only a request with a body takes a turn. */
export function processRequest(dispatcher: Dispatcher, routed: RoutedRequest): Processed | Promise<Processed> {
  const { backend, table, handlers, tokens } = dispatcher;
  const { request, url, operation, peerAddress } = routed;
  const params = withCanonicalParams(routed.params);
  const { state, clock, policies } = backend;
  const { headers } = request;
  const authenticated = authenticate(headers, state, tokens, clock.now());
  if (authenticated.problem) return { step: "credentials", answer: authenticated };
  const { caller } = authenticated;
  const restricted = restrictKey(caller, operation, callerAddress(headers, peerAddress, policies));
  if (restricted) return { step: "api_key", answer: restricted, caller };
  const selected = selectAccount({ headers, operation, params }, caller, state);
  if (selected.problem) return { step: "account", answer: selected, caller };
  const { account } = selected;
  const limited = limitRate(caller, state, policies, clock.now());
  if (limited) return { step: "rate_limit", answer: limited, caller, account };
  const badId = checkIds(params);
  if (badId) return { step: "path", answer: badId, caller, account };
  const schema = table.schemas[operation.id];
  const query = readQuery(url.search === "" ? noQuery : url.searchParams, operation, schema?.query);
  if (query.problem) return { step: "query", answer: query, caller, account };
  const call = (body: unknown): Processed => {
    const exchange: AnyExchange = {
      ...backend,
      operation,
      caller,
      account,
      params,
      query: withCanonicalIds(query.value),
      body,
    };
    return callHandler(handlers[operation.id] ?? respondWithExample, exchange);
  };
  return operation.hasBody ? processBody(schema?.body, routed, { caller, account }, call) : call(undefined);
}

/** Checks the body of a request, then calls its handler. */
async function processBody(
  schema: RequestSchema["body"],
  { request, recordBody }: RoutedRequest,
  sender: Pick<Processed, "caller" | "account">,
  call: (body: unknown) => Processed,
): Promise<Processed> {
  const body = await readBody(request, schema, recordBody);
  return body.problem ? { step: "body", answer: body, ...sender } : call(withCanonicalIds(body.value));
}

function callHandler(handler: AnyHandler, exchange: AnyExchange): Processed {
  const { caller, account } = exchange;
  const { result, effects, thrown } = exchange.changes.during(() => handler(exchange));
  const answer = result ?? problem("internal_error");
  return { step: "operation", answer, caller, account, effects, ...(thrown && { error: thrownText(thrown.error) }) };
}

/** The stack of an exception, or its message. */
export function thrownText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The handler of an operation that has none: responds with the first example of the specification. */
function respondWithExample({ operation }: AnyExchange): Answer {
  const [success] = operation.successes;
  if (success === undefined) return problem("internal_error", { detail: "The specification has no example response." });
  return { status: success.status, ...(success.example !== null && { body: success.example }) };
}
