import { checkCriteria, checkHeaders } from "../../faults/fault-check.ts";
import type { Stub } from "../../generated/models.gen.ts";
import { zStub } from "../../generated/schemas.gen.ts";
import { checkInput, InputError, under } from "../../utils/input-error.ts";
import { isObject } from "../../utils/values.ts";
import type { OperationTable } from "../checks/router.ts";
import { checkJson, checkText } from "./template.ts";

/** Throws InputError naming the invalid field unless `stub` is a stub, of a request that no operation of the table answers. */
export function assertStub(stub: unknown, table?: Pick<OperationTable, "match">): asserts stub is Stub {
  if (!isObject(stub) || Array.isArray(stub))
    throw new InputError("", "a stub must be an object with method, path and response");
  // First, because nothing else stops at a depth.
  checkJson(stub, () => {});
  const { method, path, match = {}, response, responses, collection } = checkInput(zStub(), stub);
  const params = under("path", () => paramsOf(path));
  const found = table?.match(method, path);
  if (found !== undefined && "operation" in found)
    throw new InputError("path", `${method} ${path} is ${faultInstead(found.operation.id)}`);
  checkCriteria(match);
  if ([response, responses, collection].filter((one) => one !== undefined).length !== 1)
    throw new InputError("", "a stub has one of response, responses and collection");
  const named = responses?.map((one, index) => [`responses[${index}]`, one] as const) ?? [["response", response ?? {}]];
  for (const [field, { headers = {}, body = null }] of named)
    under(field, () => {
      checkHeaders(headers);
      checkJson({ headers, body }, (text, place) => checkText(text, place, params));
    });
  if (collection !== undefined) checkCollection(method, path);
}

function faultInstead(operationId: string): string {
  const fault = { match: { operationId }, when: { times: null }, do: { status: 200, body: {} } };
  return `answered by the operation ${operationId}. To replace its response, add a fault: ${JSON.stringify(fault)}`;
}

/** The names of the parameters of a path template, in its order. Throws InputError for a path that no request can have. */
export function paramsOf(path: string): readonly string[] {
  if (/^\/(?:$|_|health(?:\/|$))/.test(path))
    throw new InputError("", "is a path of the mock server itself. Use another one");
  if (/[?#]/.test(path)) throw new InputError("", "must be a path alone. A query belongs into match.query");
  const colon = path.split("/").find((segment) => /^:\w+$/.test(segment));
  if (colon !== undefined) throw new InputError("", `"${colon}" is not a parameter. Write it as {${colon.slice(1)}}`);
  const segments = path.split("/").filter((segment) => /[{}]/.test(segment));
  const params = segments.map((segment) => segment.slice(1, -1));
  const wrong = segments.find((segment) => !/^\{\w+\}$/.test(segment));
  if (wrong !== undefined)
    throw new InputError("", `"${wrong}" is not a parameter. A parameter is a whole segment, such as {contactId}`);
  if (new Set(params).size < params.length) throw new InputError("", "has two parameters of the same name");
  const literal = path.replaceAll(/[{}]/g, "");
  if (!path.startsWith("/") || new URL(`http://localhost${literal}`).pathname !== literal)
    throw new InputError("", "must be a whole path as requests have it, such as /api/v1/contacts/{contactId}");
  return params;
}

function checkCollection(method: string, path: string): void {
  const hasId = path.endsWith("}");
  if (method === "POST" && hasId)
    throw new InputError("path", "must not end with a parameter: POST stores under a new id");
  if (["PUT", "PATCH", "DELETE"].includes(method) && !hasId)
    throw new InputError("path", `must end with the id for ${method}, such as ${path}/{id}`);
}
