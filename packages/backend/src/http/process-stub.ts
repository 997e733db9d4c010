import { operations } from "@call-transfer/spec";
import { requestSchemas } from "@call-transfer/spec/schemas";
import * as z from "zod";
import { isBodyMatch } from "../faults/match-fault.ts";
import type { StubResponse } from "../generated/models.gen.ts";
import type { Answer, Checked } from "../model/errors/problem.ts";
import { isObject } from "../model/values/json.ts";
import { useCollection } from "../stubs/collection.ts";
import type { FoundStub } from "../stubs/stubs.ts";
import { asText, createFilling, type TemplateValues } from "../stubs/template.ts";
import { authenticate, callerAddress, limitRate, restrictKey } from "./checks/authenticate.ts";
import type { Processed } from "./checks/decision.ts";
import { readAhead, readBody, readQuery } from "./checks/validate.ts";
import { answered } from "./process-request.ts";
import type { Dispatcher, DispatchInput, RoutedRequest } from "./routed-request.ts";
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
  for (const found of stubs.candidates(request.method, url, request.headers)) {
    const { body } = found.stub.stub.match ?? {};
    if (body !== undefined) ahead ??= await readAhead(request);
    if (body === undefined || isBodyMatch({ body }, ahead?.value))
      return { ...found, request: ahead?.request ?? request };
  }
  return undefined;
}

/** A page of a collection is that of the API's own list (§4.6). */
const pageSchema = requestSchemas.listCalls.query.pick({ limit: true, offset: true });

/**
 * Checks credential, address of the key and rate limit, unless the stub is public, and then responds as it says. The document does
 * not say which scope, account or role such a request needs.
 */
export async function processStub({ world, tokens, stubs }: Dispatcher, routed: StubRequest): Promise<Processed> {
  const { request, url, params, stub, peerAddress, look } = routed;
  const { state, clock, policies } = world;
  const { method, collection, public: isPublic = false } = stub.stub;
  let by: Pick<Processed, "caller"> = {};
  if (!isPublic) {
    const authenticated = authenticate(request.headers, state, tokens, clock.now());
    if (authenticated.problem) return { step: "credentials", answer: authenticated };
    const { caller } = authenticated;
    by = { caller };
    const restricted = restrictKey(caller, undefined, callerAddress(request.headers, peerAddress, policies));
    if (restricted) return { step: "key", answer: restricted, ...by };
    const limited = limitRate(caller, state, policies, clock.now());
    if (limited) return { step: "rateLimit", answer: limited, ...by };
  }
  const isList = collection !== undefined && method === "GET" && !stub.stub.path.endsWith("}");
  const query = readQuery(isList ? url.searchParams : new URLSearchParams(), operations.listCalls, pageSchema);
  if (query.problem) return { step: "query", answer: query, ...by };
  const body = await bodyFor(routed);
  if (stub.operation.hasBody) look(!isPublic);
  if (body.problem) return { step: "body", answer: body, ...by };
  const { newId } = stubs;
  const values: TemplateValues = {
    ...{ newId, now: clock.iso(), params, query: url.searchParams, headers: request.headers, body: body.value },
  };
  return answered("stub", world, by, () => {
    const response = stubs.nextResponse(stub);
    if (collection === undefined) return responseOf(response, values);
    const id = stub.stub.path.endsWith("}") ? Object.values(params).at(-1) : undefined;
    const fields = isObject(body.value) ? body.value : {};
    return useCollection(
      collection,
      { method, id, fields, page: pageSchema.parse(query.value), newId },
      state.stubRecords,
    );
  });
}

/** Reads the body. That of a collection must be an object; elsewhere, what is not JSON is no value. */
async function bodyFor({ request, stub, recordBody }: StubRequest): Promise<Checked<{ value: unknown }>> {
  if (!stub.operation.hasBody) return { value: undefined };
  if (stub.stub.collection !== undefined) return readBody(request, z.looseObject({}), recordBody);
  const ahead = await readAhead(request);
  if (ahead.value !== undefined) recordBody(ahead.value, ahead.request.bodyBytes?.byteLength ?? 0);
  return { value: ahead.value };
}

/** The response of a stub, with its templates filled in. */
function responseOf({ status = 200, headers = {}, body }: StubResponse = {}, values: TemplateValues): Answer {
  const fill = createFilling(values);
  // What a request sends must not add a header.
  const texts = Object.entries(headers).map(([name, text]) => [name, asText(fill(text)).replaceAll(/[^\t -~]/g, "?")]);
  return { status, headers: Object.fromEntries(texts), ...(body !== undefined && { body: fill(body) }) };
}
