import { contractMajor, contractTag } from "../generated/contract.gen.ts";
import { withCanonicalIds, withCanonicalParams } from "../utils/ids.ts";
import { type Answer, type Problem, problem } from "../utils/problem.ts";
import { authenticate, callerAddress, limitRate, restrictKey, selectAccount } from "./authenticate.ts";
import type { Processed } from "./decision.ts";
import type { AnyExchange, AnyHandler, Dispatcher, RoutedRequest } from "./exchange.ts";
import type { RequestHeaders } from "./transport.ts";
import { checkIds, type RequestSchema, readBody, readQuery } from "./validate.ts";

/** What the clients say of themselves in `User-Agent`, unless the app replaces it. The limits keep long texts cheap. */
const client = /(?:^|\s)call-transfer-(sdk|python)\/(\S{1,64}) \(contract (\d{1,9})\)/;

/** A major that is not released yet, as npm or Python writes it: 2.0.0-next.1, 2.0.0.dev1, 2.0.0b1. */
const prerelease = /^\d+\.0\.0(?:-([a-z]+)\.|\.?(dev|a|b|rc))\d/;
const tagsInPython: Readonly<Record<string, string>> = { dev: "next", a: "alpha", b: "beta" };

/** The tag at npm of a prerelease; undefined for a released version. */
function tagOf(version: string): string | undefined {
  const [, tag, inPython = ""] = prerelease.exec(version) ?? [];
  return (tag ?? tagsInPython[inPython] ?? inPython) || undefined;
}

/** The contract that a server serves. */
interface Served {
  readonly major: number;
  /** The tag at npm of the major's prereleases; empty once it is released. */
  readonly tag: string;
}

// A major of the contract gives the SDK the same major. The Python client may have one of its own. A range such as ^2 and pip
// without --pre do not accept a prerelease.
const installs: Readonly<Record<string, (served: Served) => string>> = {
  sdk: ({ major, tag }) => `npm install @call-transfer/sdk@${tag || `^${major}`}`,
  python: ({ tag }) => `pip install --upgrade ${tag && "--pre "}call-transfer`,
};

/**
 * Refuses a client that was made for another major of the contract, as after an update of the SDK or the mock server alone. What it
 * sends and expects may be wrong here in any place, so its tests would prove nothing.
 */
export function refuseOtherContract(
  headers: RequestHeaders,
  served: Served = { major: contractMajor, tag: contractTag },
): Problem | undefined {
  const [, name = "", version = "", major] = client.exec(headers.get("user-agent") ?? "") ?? [];
  if (major === undefined || Number(major) === served.major) return undefined;
  const fix =
    Number(major) < served.major
      ? `Update the client: ${installs[name]?.(served)}`
      : `Update this server: npm install --save-dev @call-transfer/mock-server@${tagOf(version) ?? "latest"}`;
  return problem("bad_request", {
    detail: `The client is made for contract ${major}, and this server serves contract ${served.major}. ${fix}`,
  });
}

/** The query of a request without one. Shared, because building one for each request takes time. */
const noQuery = new URLSearchParams();

/** Checks a request in the one fixed order (A-18) unless its client is made for another contract, then calls its handler. Only a request with a body takes a turn. */
export function processRequest(dispatcher: Dispatcher, routed: RoutedRequest): Processed | Promise<Processed> {
  const { backend, table, handlers, tokens } = dispatcher;
  const { request, url, operation, peerAddress } = routed;
  const params = withCanonicalParams(routed.params);
  const { state, clock, policies } = backend;
  const { headers } = request;
  const otherContract = refuseOtherContract(headers);
  if (otherContract) return { step: "route", answer: otherContract };
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
