import { isBodyMatch } from "../faults/match-fault.ts";
import { type Answer, type Checked, problem } from "../utils/problem.ts";
import { authenticate, callerAddress, limitRate, restrictKey } from "./authenticate.ts";
import type { Processed } from "./decision.ts";
import type { Dispatcher, DispatchInput, RoutedRequest } from "./exchange.ts";
import { thrownText } from "./process-request.ts";
import { filledResponse } from "./stub-template.ts";
import type { ActiveStub, FoundStub } from "./stubs.ts";
import type { IncomingRequest } from "./transport.ts";
import { checkStructure, readAhead } from "./validate.ts";

/** Finds the stub of a request that no operation matches. Reads the body if a stub asks for it; the request still has it. */
export async function findStub(
  { stubs }: Pick<Dispatcher, "stubs">,
  { request, url }: Pick<DispatchInput, "request" | "url">,
): Promise<(FoundStub & { readonly request: IncomingRequest }) | undefined> {
  let ahead: Awaited<ReturnType<typeof readAhead>> | undefined;
  for (const found of stubs.candidates({ method: request.method, url, headers: request.headers })) {
    const { body } = found.stub.stub.match ?? {};
    if (body !== undefined) ahead ??= await readAhead(request);
    if (body === undefined || isBodyMatch({ body }, ahead?.value))
      return { ...found, request: ahead?.request ?? request };
  }
  return undefined;
}

/**
 * Checks credential, address of the key and rate limit, unless the stub is public, and then responds as it says. Nothing says which
 * scope, account or role such a request needs.
 */
export async function processStub(
  dispatcher: Dispatcher,
  routed: RoutedRequest,
  active: ActiveStub,
): Promise<Processed> {
  const { backend, tokens } = dispatcher;
  const { request, peerAddress } = routed;
  const { stub } = active;
  const { state, clock, policies } = backend;
  let by: Pick<Processed, "caller"> = {};
  if (!stub.public) {
    const authenticated = authenticate(request.headers, state, tokens, clock.now());
    if (authenticated.problem) return { step: "credentials", answer: authenticated };
    by = { caller: authenticated.caller };
    const address = callerAddress(request.headers, peerAddress, policies);
    const restricted = restrictKey(authenticated.caller, undefined, address);
    if (restricted) return { step: "api_key", answer: restricted, ...by };
    const limited = limitRate(authenticated.caller, state, policies, clock.now());
    if (limited) return { step: "rate_limit", answer: limited, ...by };
  }
  const body = await bodyFor(routed);
  if (body.problem) return { step: "body", answer: body, ...by };
  const { result, effects, thrown } = backend.changes.during(() => answerOf(dispatcher, routed, active, body.value));
  const answer = result ?? problem("internal_error");
  return { step: "stub", answer, ...by, effects, ...(thrown && { error: thrownText(thrown.error) }) };
}

/** Reads the body. What is not JSON is no value. */
async function bodyFor({ request, operation, recordBody }: RoutedRequest): Promise<Checked<{ value: unknown }>> {
  if (!operation.hasBody) return { value: undefined };
  const ahead = await readAhead(request);
  // A template can send the value back.
  const detail = checkStructure(ahead.value);
  if (detail !== undefined) return problem("bad_request", { detail });
  if (ahead.value !== undefined) recordBody(ahead.value, ahead.request.bodyBytes?.byteLength ?? 0);
  return { value: ahead.value };
}

function answerOf(
  { backend: { clock }, stubs, newId }: Dispatcher,
  { request: { headers }, url: { searchParams: query }, params }: RoutedRequest,
  active: ActiveStub,
  body: unknown,
): Answer {
  const values = { id: newId(), now: clock.iso(), params, query, headers, body };
  return filledResponse(stubs.nextResponse(active), values);
}
