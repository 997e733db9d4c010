import { type ErrorCode, errorCodes, fieldErrorCodes, type OperationDescription } from "@call-transfer/spec";
import * as z from "zod";
import {
  zFaultAction,
  type zFaultMatch,
  type zFaultWhen,
  zRequestFault,
  zWebhookFault,
  zWebhookFaultAction,
} from "../generated/schemas.gen.ts";
import { formOf } from "../utils/documented-operations.ts";
import { checkInput, InputError, withPathPrefix } from "../utils/input-error.ts";
import { suggestion } from "../utils/text.ts";
import { isObject, isWebAddress } from "../utils/values.ts";
import type { Fault, FaultAction } from "./fault.ts";

// The server derives these headers from the body.
const framingHeaders = ["content-length", "transfer-encoding"];

/** Throws InputError naming the invalid field unless `fault` is a fault, of requests for one of `operations`. */
export function assertFault(fault: unknown, operations: readonly OperationDescription[]): asserts fault is Fault {
  if (!isObject(fault) || Array.isArray(fault))
    throw new InputError("", "a fault must be an object, or a text such as createCall 503");
  if ("webhooks" in fault) return assertWebhookFault(fault);
  checkSteps(fault.do, requestActions, webhookActions);
  const { do: actions, match = {}, when } = checkInput(zRequestFault(), fault);
  checkMatch(match, operations);
  checkWhen(when, actions);
  const steps = Array.isArray(actions) ? actions : [actions];
  for (const [index, action] of steps.entries()) {
    if (typeof action !== "object") {
      // The schema and the type list the same words.
      action satisfies Extract<FaultAction, string> | "pass";
      continue;
    }
    withPathPrefix(Array.isArray(actions) ? `do[${index}]` : "do", () => {
      if ("code" in action) checkError(action);
      if ("headers" in action) checkHeaders(action.headers ?? {});
    });
  }
}

function assertWebhookFault(fault: Readonly<Record<string, unknown>>): void {
  if ("match" in fault)
    throw new InputError("webhooks", "a fault of webhook deliveries has no match. Remove webhooks or match.");
  checkSteps(fault.do, webhookActions, requestActions);
  const { do: actions, when } = checkInput(zWebhookFault(), fault);
  checkWhen(when, actions);
  const steps = Array.isArray(actions) ? actions : [actions];
  for (const [at, action] of steps.entries()) {
    if (typeof action !== "object" || !("copyTo" in action)) continue;
    const place = Array.isArray(actions) ? `do[${at}]` : "do";
    for (const [index, url] of action.copyTo.entries())
      if (!isWebAddress(url)) throw new InputError(`${place}.copyTo[${index}]`, "must be an http or https address");
  }
}

/** What faults of one kind can do: texts, and objects by their required field. */
interface Actions {
  readonly schemas: () => ReadonlyMap<string, z.ZodType>;
  /** How to turn a fault of the other kind into one of this kind. */
  readonly use: string;
}

const requestActions: Actions = {
  schemas: () => schemasByName(zFaultAction().options),
  use: "is for requests. Use match instead of webhooks.",
};
const webhookActions: Actions = {
  schemas: () => schemasByName(zWebhookFaultAction().options),
  use: "is for webhook deliveries. Use webhooks instead of match, {} for all deliveries.",
};

function schemasByName(options: readonly (z.ZodLiteral<string> | z.ZodObject)[]): ReadonlyMap<string, z.ZodType> {
  return new Map(
    options.map((option) => [
      option instanceof z.ZodLiteral ? option.value : (Object.keys(option.shape)[0] ?? ""),
      option,
    ]),
  );
}

/** Checks what a fault does, or each step of a list. */
function checkSteps(actions: unknown, kind: Actions, other: Actions): void {
  if (!Array.isArray(actions)) checkAction("do", actions, kind, other);
  else if (actions.length === 0) throw new InputError("do", "a list needs at least one step");
  else
    for (const [index, action] of actions.entries())
      if (action !== "pass") checkAction(`do[${index}]`, action, kind, other);
}

/** Checks that a fault does exactly one thing of its kind. A union of schemas could not say which one was meant. */
function checkAction(field: string, action: unknown, kind: Actions, other: Actions): void {
  const schemas = kind.schemas();
  const given =
    typeof action === "string" ? [action] : isObject(action) && !Array.isArray(action) ? Object.keys(action) : [];
  const [name, second] = given.filter((key) => schemas.has(key));
  const foreign = given.find((key) => other.schemas().has(key));
  if (name === undefined && foreign !== undefined) throw new InputError(field, `${foreign} ${other.use}`);
  if (action === "pass")
    throw new InputError(field, 'pass is a step of a list, such as [{ "code": "service_unavailable" }, "pass"]');
  if (name === undefined) throw new InputError(field, `must be one of ${[...schemas.keys()].join(", ")}`);
  if (second !== undefined)
    throw new InputError(
      `${field}.${second}`,
      `a fault does one thing, here ${name}. Add another fault for ${second}.`,
    );
  withPathPrefix(field, () => checkInput(schemas.get(name) ?? z.never(), action));
}

function checkMatch(
  match: z.output<ReturnType<typeof zFaultMatch>>,
  operations: readonly OperationDescription[],
): void {
  const { operationId, method, path: pathname } = match;
  if (operationId !== undefined && !operations.some(({ id }) => id === operationId)) {
    const ids = operations.map(({ id }) => id);
    throw new InputError("match.operationId", `unknown operation "${operationId}".${suggestion(operationId, ids)}`);
  }
  const methods = [...new Set(operations.map((operation) => operation.method))];
  if (method !== undefined && !methods.includes(method.toUpperCase()) && !pathname?.includes("*"))
    throw new InputError("match.method", `no operation uses the method "${method}". Use one of ${methods.join(", ")}.`);
  if (pathname !== undefined) withPathPrefix("match.path", () => checkPath(pathname, method, operations));
  checkCriteria(match);
}

/** Checks the names in the criteria of a request. */
export function checkCriteria(match: Pick<z.output<ReturnType<typeof zFaultMatch>>, "headers" | "body">): void {
  const { headers = {}, body = {} } = match;
  for (const name of Object.keys(headers))
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new InputError("match.headers", `"${name}" is not a header name`);
  for (const path of Object.keys(body))
    if (!isFieldPath(path))
      throw new InputError("match.body", `"${path}" is not the path of a field, such as members[0].destinationId`);
}

/** Whether a text is the path of a field, such as `members[0].destinationId`. */
export function isFieldPath(path: string): boolean {
  return /^[^.[\]]+(\.[^.[\]]+|\[\d+\])*$/.test(path);
}

/** Throws InputError if no operation can have this path: such a fault would never apply. */
export function checkPath(path: string, method: string | undefined, known: readonly OperationDescription[]): void {
  const wanted = method?.toUpperCase();
  const paths = known.flatMap((one) => (wanted === undefined || one.method === wanted ? [one.path] : []));
  // With `*` it may be the path of a stub.
  if (path.includes("*") || paths.some((template) => isPathOf(path, template))) return;
  const full = `/api/v1${path}`;
  const hint = paths.some((template) => isPathOf(full, template))
    ? ` Did you mean ${full}?`
    : suggestion(path, paths) || " To name a stub, put a * into the path.";
  throw new InputError("", `there is no operation ${[wanted, path].filter(Boolean).join(" ")}.${hint}`);
}

/** Whether a path may be one of a template. */
function isPathOf(path: string, template: string): boolean {
  return path === template || formOf(template).test(path);
}

function checkWhen({ step }: z.output<ReturnType<typeof zFaultWhen>> = {}, actions: unknown): void {
  const steps = Array.isArray(actions) ? actions.length : 0;
  if (step !== undefined && step > steps)
    throw new InputError("when.step", steps === 0 ? "do is not a list of steps" : `do has ${steps} steps`);
}

const knownCodes: ReadonlyMap<string, (typeof errorCodes)[ErrorCode]> = new Map(Object.entries(errorCodes));
const knownFieldCodes: readonly string[] = fieldErrorCodes;

/** Checks an error code, and that only a code with field errors is given some. */
function checkError({ code, errors = [] }: { code: string; errors?: readonly { code: string }[] | undefined }): void {
  const known = knownCodes.get(code);
  if (known === undefined)
    throw new InputError("code", `unknown error code "${code}".${suggestion(code, [...knownCodes.keys()])}`);
  if (errors.length > 0 && !known.hasFieldErrors) {
    const carriers = [...knownCodes].flatMap(([name, { hasFieldErrors }]) => (hasFieldErrors ? [name] : []));
    throw new InputError("errors", `${code} has no field errors. Remove them, or use ${carriers.join(" or ")}.`);
  }
  for (const [index, { code: fieldCode }] of errors.entries())
    if (!knownFieldCodes.includes(fieldCode))
      throw new InputError(
        `errors[${index}].code`,
        `unknown field error code "${fieldCode}".${suggestion(fieldCode, knownFieldCodes)}`,
      );
}

/** Checks the headers of a response. */
export function checkHeaders(headers: Record<string, string>): void {
  try {
    new Headers(headers);
  } catch {
    throw new InputError("headers", "must be valid header names and values");
  }
  for (const name of Object.keys(headers))
    if (framingHeaders.includes(name.toLowerCase()))
      throw new InputError(`headers.${name}`, "is set by the server. Remove it.");
}
