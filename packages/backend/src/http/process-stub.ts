import { operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import * as z from "zod";
import { isBodyMatch } from "../faults/match-fault.ts";
import type { Answer, Checked } from "../model/errors/problem.ts";
import { authenticate, callerAddress, limitRate, restrictKey } from "./checks/authenticate.ts";
import type { Processed } from "./checks/decision.ts";
import { readAhead, readBody, readQuery } from "./checks/validate.ts";
import { answered } from "./process-request.ts";
import type { Dispatcher, DispatchInput, RoutedRequest } from "./routed-request.ts";
import { listCollection, useCollection } from "./stubs/collection.ts";
import type { FoundStub } from "./stubs/stubs.ts";
import { filledResponse } from "./stubs/template.ts";
import type { IncomingRequest } from "./transport/transport.ts";

/** A request to a stub, with the stub's operation as far as it has one. */
export interface StubRequest extends RoutedRequest {
  readonly stub: FoundStub["stub"];
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
export async function processStub(dispatcher: Dispatcher, routed: StubRequest): Promise<Processed> {
  const { world, tokens } = dispatcher;
  const { request, stub, peerAddress, look } = routed;
  const { state, clock, policies } = world;
  let by: Pick<Processed, "caller"> = {};
  if (!stub.stub.public) {
    const authenticated = authenticate(request.headers, state, tokens, clock.now());
    if (authenticated.problem) return { step: "credentials", answer: authenticated };
    by = { caller: authenticated.caller };
    const address = callerAddress(request.headers, peerAddress, policies);
    const restricted = restrictKey(authenticated.caller, undefined, address);
    if (restricted) return { step: "key", answer: restricted, ...by };
    const limited = limitRate(authenticated.caller, state, policies, clock.now());
    if (limited) return { step: "rateLimit", answer: limited, ...by };
  }
  const body = await bodyFor(routed);
  if (stub.operation.hasBody) look(!stub.stub.public);
  if (body.problem) return { step: "body", answer: body, ...by };
  return answered("stub", world, by, () => answerOf(dispatcher, routed, body.value));
}

/** Reads the body. That of a collection must be an object; elsewhere, what is not JSON is no value. */
async function bodyFor({ request, stub, recordBody }: StubRequest): Promise<Checked<{ value: unknown }>> {
  if (!stub.operation.hasBody) return { value: undefined };
  if (stub.stub.collection !== undefined) return readBody(request, z.looseObject({}), recordBody);
  const ahead = await readAhead(request);
  if (ahead.value !== undefined) recordBody(ahead.value, ahead.request.bodyBytes?.byteLength ?? 0);
  return { value: ahead.value };
}

function answerOf({ world, stubs, newId }: Dispatcher, routed: StubRequest, body: unknown): Answer {
  const { request, url, params, stub } = routed;
  const { method, path, collection } = stub.stub;
  const response = stubs.nextResponse(stub) ?? {};
  if (collection === undefined) {
    let id: string | undefined;
    const sameId = () => {
      id ??= newId();
      return id;
    };
    const { headers } = request;
    return filledResponse(response, { sameId, now: world.clock.iso(), params, query: url.searchParams, headers, body });
  }
  const records = world.state.stubRecords;
  const id = path.endsWith("}") ? Object.values(params).at(-1) : undefined;
  if (id !== undefined || method === "POST")
    return useCollection(collection, { method, id, fields: Object(body), newId }, records);
  const page = readQuery(url.searchParams, operations.listCalls, pageSchema);
  return page.problem ? page : listCollection(collection, pageSchema.parse(page.value), records);
}
