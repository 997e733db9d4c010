import { checkCriteria, checkHeaders } from "../faults/fault-check.ts";
import type { Stub, StubResponse } from "../generated/models.gen.ts";
import { zStub } from "../generated/schemas.gen.ts";
import { checkInput, InputError, under } from "../model/errors/input-error.ts";
import { isObject } from "../model/values/json.ts";
import { checkJson, checkText } from "./template.ts";

/** The id of the operation that answers a method and path, if there is one. */
export type OperationOf = (method: string, path: string) => string | undefined;

/** Throws InputError naming the invalid field unless `stub` is a stub, of a request that no operation answers. */
export function assertStub(stub: unknown, operationOf: OperationOf): asserts stub is Stub {
  if (!isObject(stub) || Array.isArray(stub))
    throw new InputError("", "a stub must be an object with method, path and response");
  // First, because nothing else stops at a depth.
  checkJson(stub, () => {});
  const { method, path, match = {}, response, responses = [], collection } = checkInput(zStub, stub);
  const params = under("path", () => paramsOf(path));
  const operationId = operationOf(method, path);
  if (operationId !== undefined)
    throw new InputError(
      "path",
      `${method} ${path} is answered by the operation ${operationId}. To replace its response, add a fault: { "match": { "operationId": "${operationId}" }, "when": { "times": null }, "do": { "status": 200, "body": {} } }`,
    );
  checkCriteria(match);
  const answers = [response, responses[0], collection].filter((one) => one !== undefined);
  if (answers.length !== 1) throw new InputError("", "a stub has one of response, responses and collection");
  if (response !== undefined) under("response", () => checkResponse(response, params));
  for (const [index, one] of responses.entries()) under(`responses[${index}]`, () => checkResponse(one, params));
  if (collection !== undefined) checkCollection(collection, method, path);
}

function checkResponse(
  { headers = {}, body }: Pick<StubResponse, "body"> & { headers?: Record<string, string> | undefined },
  params: readonly string[],
): void {
  checkHeaders(headers);
  checkJson({ headers, ...(body !== undefined && { body }) }, (text, field) => checkText(text, field, params));
}

/** The names of the parameters of a path template, in its order. Throws InputError for a path that no request can have. */
export function paramsOf(path: string): readonly string[] {
  if (!path.startsWith("/")) throw new InputError("", "must begin with /, such as /api/v1/contacts/{contactId}");
  if (path.startsWith("/_") || /^\/health(\/|$)/.test(path))
    throw new InputError("", "is a path of the mock server itself. Use another one");
  const params: string[] = [];
  for (const segment of path.split("/")) {
    if (!/[{}]/.test(segment)) continue;
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
    if (name === undefined)
      throw new InputError("", `"${segment}" is not a parameter. A parameter is a whole segment, such as {contactId}`);
    if (params.includes(name)) throw new InputError("", `{${name}} is there twice. Give each parameter its own name`);
    params.push(name);
  }
  const literal = path.replaceAll(/[{}]/g, "");
  if (new URL(`http://localhost${literal}`).pathname !== literal)
    throw new InputError(
      "",
      "must be a path as requests have it: without query, dots as segments, and unencoded characters",
    );
  return params;
}

function checkCollection(collection: string, method: string, path: string): void {
  if (collection === "meta")
    throw new InputError("collection", "must not be meta, which a list has beside its records");
  const hasId = path.endsWith("}");
  if (method === "POST" && hasId)
    throw new InputError("path", "must not end with a parameter: POST stores under a new id");
  if (["PUT", "PATCH", "DELETE"].includes(method) && !hasId)
    throw new InputError("path", `must end with the id for ${method}, such as ${path.replace(/\/$/, "")}/{id}`);
}
