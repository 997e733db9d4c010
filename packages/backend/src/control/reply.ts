import { errorCodes } from "@call-transfer/spec";
import type { ControlOperationId } from "./operations.gen.ts";
import type { operations } from "./types.gen.ts";

/** Where the control plane lives; never under the API's own paths. */
export const controlPrefix = "/_control/v1";

type Contents<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201
    ? Responses[Status] extends { content: { "application/json": infer Body } }
      ? Body
      : never
    : never;
}[keyof Responses];

/** The body of an operation's success, as its document describes it; a success without one has none. */
export type SuccessBody<Id extends ControlOperationId> = [Contents<operations[Id]["responses"]>] extends [never]
  ? undefined
  : Contents<operations[Id]["responses"]>;

/** Codes of the control plane's own errors. */
export type ControlErrorCode =
  | "bad_request"
  | "invalid_input"
  | "not_found"
  | "conflict"
  | "forbidden"
  | "internal_error";

/** An error in the control plane's shape. */
export function controlFailure(code: ControlErrorCode, message: string, field?: string): Response {
  const status = errorCodes[code === "invalid_input" ? "validation_failed" : code].mockStatus;
  return Response.json({ error: { code, message, ...(field !== undefined && { field }) } }, { status });
}
