import { operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import * as z from "zod";
import { isBodyMatch } from "../faults/match-fault.ts";
import type { Stub } from "../generated/models.gen.ts";
import type { IndexedState } from "../model/state.ts";
import { type Answer, type Checked, problem } from "../utils/problem.ts";
import { authenticate, callerAddress, limitRate, restrictKey } from "./authenticate.ts";
import type { Processed } from "./decision.ts";
import type { Dispatcher, DispatchInput, RoutedRequest } from "./exchange.ts";
import { thrownText } from "./process-request.ts";
import { filledResponse } from "./stub-template.ts";
import type { ActiveStub, FoundStub } from "./stubs.ts";
import type { IncomingRequest } from "./transport.ts";
import { checkStructure, readAhead, readBody, readQuery } from "./validate.ts";

type Records = IndexedState["stubRecords"];

/** Stores the fields of a body in a collection by the method of a request, or reads and removes a record. */
function useCollection(
  [collection, records]: readonly [name: string, records: Records],
  { method, id, fields }: { readonly method: string; readonly id: string; readonly fields: object },
): Answer {
  const key = `${collection} ${id}`;
  const found = records.get(key);
  const store = (status: number, before: object): Answer => {
    // The id comes first, and is not that of the body.
    const body = { ...{ id, ...before, ...fields }, id };
    records.set(key, { id, collection, fields: body });
    return { status, body };
  };
  if (method === "POST") return store(201, {});
  if (found === undefined)
    return problem("resource_not_found", { detail: `There is no record ${id} in the collection ${collection}.` });
  if (method === "PUT") return store(200, {});
  if (method === "PATCH") return store(200, found.fields);
  if (method === "GET") return { status: 200, body: found.fields };
  records.delete(key);
  return { status: 204 };
}

/** Lists a page in the shape of the API's own lists: the newest first, with their total number (§4.6). */
function listCollection(collection: string, page: { limit: number; offset: number }, records: Records): Answer {
  const all = [...records.values()].filter((one) => one.collection === collection).reverse();
  const shown = all.slice(page.offset, page.offset + page.limit).map(({ fields }) => fields);
  return { status: 200, body: { [collection]: shown, meta: { total: all.length } } };
}

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

/** The page of a collection is that of the API's own list (§4.6). */
const pageSchema = requestSchemas.listCalls.query.pick({ limit: true, offset: true });

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
  const body = await bodyFor(routed, stub);
  if (body.problem) return { step: "body", answer: body, ...by };
  const { result, effects, thrown } = backend.changes.during(() => answerOf(dispatcher, routed, active, body.value));
  const answer = result ?? problem("internal_error");
  return { step: "stub", answer, ...by, effects, ...(thrown && { error: thrownText(thrown.error) }) };
}

/** Reads the body. That of a collection must be an object; elsewhere, what is not JSON is no value. */
async function bodyFor(
  { request, operation, recordBody }: RoutedRequest,
  stub: Stub,
): Promise<Checked<{ value: unknown }>> {
  if (!operation.hasBody) return { value: undefined };
  if (stub.collection !== undefined) return readBody(request, z.looseObject({}), recordBody);
  const ahead = await readAhead(request);
  // A template can send the value back.
  const detail = checkStructure(ahead.value);
  if (detail !== undefined) return problem("bad_request", { detail });
  if (ahead.value !== undefined) recordBody(ahead.value, ahead.request.bodyBytes?.byteLength ?? 0);
  return { value: ahead.value };
}

function answerOf(
  { backend: { state, clock }, stubs, newId }: Dispatcher,
  { request: { headers }, url: { searchParams: query }, params }: RoutedRequest,
  active: ActiveStub,
  body: unknown,
): Answer {
  const { method, path, collection } = active.stub;
  const response = stubs.nextResponse(active);
  if (collection === undefined)
    return filledResponse(response, { id: newId(), now: clock.iso(), params, query, headers, body });
  const id = method === "POST" ? newId() : path.endsWith("}") ? Object.values(params).at(-1) : undefined;
  if (id !== undefined) return useCollection([collection, state.stubRecords], { method, id, fields: Object(body) });
  const page = readQuery(query, operations.listCalls, pageSchema);
  return page.problem ? page : listCollection(collection, pageSchema.parse(page.value), state.stubRecords);
}
