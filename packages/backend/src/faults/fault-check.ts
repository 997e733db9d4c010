import { type ErrorCode, errorCodes, fieldErrorCodes } from "@call-transfer/spec";
import { zFault } from "../control/generated/schemas.gen.ts";
import { checkInput, InputError } from "../model/input-error.ts";
import { suggestion } from "../model/spelling.ts";
import type { Fault } from "./faults.ts";

// What says how long the body is comes from the body itself.
const framing = ["content-length", "transfer-encoding"];

/** Throws InputError that names the bad field when `fault` is none. */
export function assertFault(fault: unknown): asserts fault is Fault {
  const { do: action } = checkInput(zFault, fault);
  if (typeof action !== "object") return;
  if ("code" in action) checkError(action);
  const headers = "headers" in action ? (action.headers ?? {}) : {};
  if (!areHeaders(headers)) throw new InputError("do.headers", "must be header names with their values");
  for (const name of Object.keys(headers))
    if (framing.includes(name.toLowerCase())) throw new InputError(`do.headers.${name}`, "is set by the server itself");
}

const knownCodes: ReadonlyMap<string, (typeof errorCodes)[ErrorCode]> = new Map(Object.entries(errorCodes));
const knownFieldCodes: readonly string[] = fieldErrorCodes;

/** Checks the codes of an error, and that it carries field errors if it has some. */
function checkError({ code, errors = [] }: { code: string; errors?: readonly { code: string }[] | undefined }): void {
  const row = knownCodes.get(code);
  if (row === undefined)
    throw new InputError("do.code", `is no code of the table.${suggestion(code, [...knownCodes.keys()])}`);
  if (errors.length > 0 && !row.hasFieldErrors) {
    const carriers = [...knownCodes].flatMap(([name, { hasFieldErrors }]) => (hasFieldErrors ? [name] : []));
    throw new InputError("do.errors", `${code} carries no field errors; ${carriers.join(", ")} do`);
  }
  for (const [index, { code: fieldCode }] of errors.entries())
    if (!knownFieldCodes.includes(fieldCode))
      throw new InputError(
        `do.errors[${index}].code`,
        `is no field code of §7.3.${suggestion(fieldCode, knownFieldCodes)}`,
      );
}

function areHeaders(headers: Record<string, string>): boolean {
  try {
    return new Headers(headers) !== undefined;
  } catch {
    return false;
  }
}
