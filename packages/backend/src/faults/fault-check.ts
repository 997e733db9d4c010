import { type ErrorCode, errorCodes, fieldErrorCodes, type OperationDescription } from "@call-transfer/spec";
import { z } from "zod";
import { zFaultDo, zRequestFault, zWebhookFault, zWebhookFaultDo } from "../generated/schemas.gen.ts";
import { checkInput, InputError, under } from "../model/input-error.ts";
import { suggestion } from "../model/spelling.ts";
import { isWebAddress } from "../model/web-address.ts";
import type { Fault } from "./fault.ts";

// The server derives these headers from the body.
const framingHeaders = ["content-length", "transfer-encoding"];

/** Throws InputError naming the invalid field unless `fault` is a fault, of requests for one of `operations`. */
export function assertFault(fault: unknown, operations: readonly OperationDescription[]): asserts fault is Fault {
  if (!isRecord(fault)) throw new InputError("", "a fault must be an object");
  if ("webhooks" in fault) return assertWebhookFault(fault);
  checkName(fault.do, requestActions, webhookActions);
  const { do: action, match = {} } = checkInput(zRequestFault, fault);
  checkMatch(match, operations);
  if (typeof action !== "object") return;
  if ("code" in action) checkError(action);
  if ("headers" in action) checkHeaders(action.headers ?? {});
}

function assertWebhookFault(fault: Readonly<Record<string, unknown>>): void {
  if ("match" in fault)
    throw new InputError("webhooks", "a fault of webhook deliveries has no match. Remove webhooks or match.");
  checkName(fault.do, webhookActions, requestActions);
  const { do: action } = checkInput(zWebhookFault, fault);
  if (typeof action !== "object" || !("alsoTo" in action)) return;
  for (const [index, url] of action.alsoTo.entries())
    if (!isWebAddress(url)) throw new InputError(`do.alsoTo[${index}]`, "must be an http or https address");
}

/** What faults of one kind can do: texts, and objects by their required field. */
interface Actions {
  readonly schemas: ReadonlyMap<string, z.ZodType>;
  /** How to turn a fault of the other kind into one of this kind. */
  readonly use: string;
}

const requestActions: Actions = {
  schemas: schemasByName(zFaultDo.options),
  use: "is for requests. Use match instead of webhooks.",
};
const webhookActions: Actions = {
  schemas: schemasByName(zWebhookFaultDo.options),
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

/** Checks that a fault does exactly one thing of its kind. A union of schemas could not say which one was meant. */
function checkName(action: unknown, { schemas }: Actions, other: Actions): void {
  const given = typeof action === "string" ? [action] : isRecord(action) ? Object.keys(action) : [];
  const [name, second] = given.filter((key) => schemas.has(key));
  const foreign = given.find((key) => other.schemas.has(key));
  if (name === undefined && foreign !== undefined) throw new InputError("do", `${foreign} ${other.use}`);
  if (name === undefined) throw new InputError("do", `must be one of ${[...schemas.keys()].join(", ")}`);
  if (second !== undefined)
    throw new InputError(`do.${second}`, `a fault does one thing, here ${name}. Add another fault for ${second}.`);
  under("do", () => checkInput(schemas.get(name) ?? z.never(), action));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkMatch(
  { operationId, method }: { operationId?: string | undefined; method?: string | undefined },
  operations: readonly OperationDescription[],
): void {
  if (operationId !== undefined && !operations.some(({ id }) => id === operationId)) {
    const ids = operations.map(({ id }) => id);
    throw new InputError("match.operationId", `unknown operation "${operationId}".${suggestion(operationId, ids)}`);
  }
  const methods = [...new Set(operations.map((operation) => operation.method))];
  if (method !== undefined && !methods.includes(method.toUpperCase()))
    throw new InputError("match.method", `no operation uses the method "${method}". Use one of ${methods.join(", ")}.`);
}

const knownCodes: ReadonlyMap<string, (typeof errorCodes)[ErrorCode]> = new Map(Object.entries(errorCodes));
const knownFieldCodes: readonly string[] = fieldErrorCodes;

/** Checks an error code, and that only a code with field errors is given some. */
function checkError({ code, errors = [] }: { code: string; errors?: readonly { code: string }[] | undefined }): void {
  const known = knownCodes.get(code);
  if (known === undefined)
    throw new InputError("do.code", `unknown error code "${code}" (§7.2).${suggestion(code, [...knownCodes.keys()])}`);
  if (errors.length > 0 && !known.hasFieldErrors) {
    const carriers = [...knownCodes].flatMap(([name, { hasFieldErrors }]) => (hasFieldErrors ? [name] : []));
    throw new InputError("do.errors", `${code} has no field errors. Remove them, or use ${carriers.join(" or ")}.`);
  }
  for (const [index, { code: fieldCode }] of errors.entries())
    if (!knownFieldCodes.includes(fieldCode))
      throw new InputError(
        `do.errors[${index}].code`,
        `unknown field error code "${fieldCode}" (§7.3).${suggestion(fieldCode, knownFieldCodes)}`,
      );
}

function checkHeaders(headers: Record<string, string>): void {
  try {
    new Headers(headers);
  } catch {
    throw new InputError("do.headers", "must be valid header names and values");
  }
  for (const name of Object.keys(headers))
    if (framingHeaders.includes(name.toLowerCase()))
      throw new InputError(`do.headers.${name}`, "is set by the server. Remove it.");
}
