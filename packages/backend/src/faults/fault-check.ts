import { type ErrorCode, errorCodes, fieldErrorCodes, type OperationDescription } from "@call-transfer/spec";
import { zFault } from "../generated/schemas.gen.ts";
import { checkInput, InputError } from "../model/input-error.ts";
import { suggestion } from "../model/spelling.ts";
import type { Fault } from "./faults.ts";

// The server derives these headers from the body.
const framingHeaders = ["content-length", "transfer-encoding"];

/** Throws InputError naming the invalid field unless `fault` is a fault for one of `operations`. */
export function assertFault(fault: unknown, operations: readonly OperationDescription[]): asserts fault is Fault {
  const { do: action, match = {} } = checkInput(zFault, fault);
  checkMatch(match, operations);
  if (typeof action !== "object") return;
  if ("code" in action) checkError(action);
  if ("headers" in action) checkHeaders(action.headers ?? {});
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
