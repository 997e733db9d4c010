import type { OperationDescription } from "@call-transfer/spec";
import type { Effects } from "../model/changes/effects.ts";
import { type Answer, isProblem, problem } from "../model/errors/problem.ts";
import type { AccountRecord } from "../model/records/records.ts";
import { isUuid } from "../model/values/uuid.ts";
import {
  authenticate,
  type Caller,
  callerAddress,
  limitRate,
  restrictKey,
  selectAccount,
} from "./checks/authenticate.ts";
import type { DecidingStep } from "./checks/decision.ts";
import type { AnyExchange, AnyHandler } from "./checks/exchange.ts";
import { readBody, readQuery } from "./checks/validate.ts";
import type { Dispatcher, RoutedRequest } from "./dispatch.ts";

/** The answer to a request, and the step that decided it. */
export interface Processed {
  readonly step: DecidingStep;
  readonly answer: Answer;
  /** Absent if the credential is refused. */
  readonly caller?: Caller;
  /** Absent if no account was selected. */
  readonly account?: AccountRecord | undefined;
  /** What the handler threw. */
  readonly error?: string;
  /** What the handler changed; absent if it was not called or changed nothing. */
  readonly effects?: Effects | undefined;
}

/** Checks a request in the one fixed order, then calls its handler. */
export async function processRequest(
  { world, table, handlers, tokens }: Dispatcher,
  { request, url, operation, params, peerAddress, recordBody, look }: RoutedRequest,
): Promise<Processed> {
  const { state, clock, policies } = world;
  const { headers } = request;
  const caller = authenticate(headers, state, tokens, clock.now());
  if (isProblem(caller)) return { step: "credentials", answer: caller };
  const restricted = restrictKey(caller, operation, callerAddress(headers, peerAddress, policies));
  if (restricted) return { step: "key", answer: restricted, caller };
  const account = selectAccount({ headers, operation, params }, caller, state);
  if (account !== undefined && isProblem(account)) return { step: "account", answer: account, caller };
  const limited = limitRate(caller, state, policies, clock.now());
  if (limited) return { step: "rateLimit", answer: limited, caller, account };
  const badId = checkIds(params);
  if (badId) return { step: "path", answer: badId, caller, account };
  const schema = table.schemas[operation.id];
  const query = readQuery(url.searchParams, operation, schema?.query);
  if (isProblem(query)) return { step: "query", answer: query, caller, account };
  const body = operation.hasBody ? await readBody(request, schema?.body, recordBody) : { value: undefined };
  // Other requests may have changed something while the body arrived.
  if (operation.hasBody) look(true);
  if (isProblem(body)) return { step: "body", answer: body, caller, account };
  const exchange: AnyExchange = { ...world, operation, caller, account, params, query: query.value, body: body.value };
  return callHandler(handlers[operation.id] ?? respondWithExample, exchange);
}

function checkIds(params: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(params))
    if (!isUuid(value)) return problem("invalid_id_format", { detail: `The path parameter ${name} is not a UUID.` });
  return undefined;
}

function callHandler(handler: AnyHandler, exchange: AnyExchange): Processed {
  const { operation, caller, account } = exchange;
  let answer: Answer = problem("internal_error");
  const { effects, thrown } = exchange.effects.during(() => {
    answer = withoutHidden(operation, handler(exchange));
  });
  return { step: "operation", answer, caller, account, effects, ...(thrown && { error: thrownText(thrown.error) }) };
}

/** The stack of an exception, or its message. */
export function thrownText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Returns the answer. Throws if it has a field that the operation must not show. */
function withoutHidden({ id, hiddenFields }: OperationDescription, answer: Answer): Answer {
  if (hiddenFields === undefined || isProblem(answer)) return answer;
  const shown = hiddenFields.find((field) => hasField(answer.body, field));
  if (shown !== undefined)
    throw new Error(`The answer of ${id} has ${shown}, which it must not show. Leave the field out of the answer.`);
  return answer;
}

/** Whether a JSON value has a field that is not null, at any depth. */
function hasField(node: unknown, field: string): boolean {
  if (typeof node !== "object" || node === null) return false;
  const own: unknown = Reflect.get(node, field);
  return (own !== null && own !== undefined) || Object.values(node).some((value) => hasField(value, field));
}

/** The handler of an operation that has none: responds with the first example of the specification. */
function respondWithExample({ operation }: AnyExchange): Answer {
  const [success] = operation.successes;
  if (success === undefined) return problem("internal_error", { detail: "The specification has no example response." });
  return { status: success.status, ...(success.example !== null && { body: success.example }) };
}
