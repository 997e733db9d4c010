import { type ErrorCode, errorCodes } from "@call-transfer/spec";
import type { ControlOperationId } from "./generated/operations.gen.ts";
import type { operations } from "./generated/types.gen.ts";

/** Where the control plane lives; never under the API's own paths. */
export const controlPrefix = "/_control/v1";

/** What selects a sandbox at the beginning of a path, with its name. */
export const sandboxPrefix = /^\/_sandbox\/([^/]*)(?=\/|$)/;

type Contents<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201
    ? Responses[Status] extends { content: { "application/json": infer Body } }
      ? Body
      : never
    : never;
}[keyof Responses];

/** The body of an operation's success, as its document describes it; what one without a body answers is not sent. */
export type SuccessBody<Id extends ControlOperationId> = [Contents<operations[Id]["responses"]>] extends [never]
  ? unknown
  : Contents<operations[Id]["responses"]>;

/** An error in the control plane's shape; a code of the API's table has its status there. */
export function controlFailure(code: ErrorCode | "invalid_input", message: string, field?: string): Response {
  const status = errorCodes[code === "invalid_input" ? "validation_failed" : code].mockStatus;
  return Response.json({ error: { code, message, ...(field !== undefined && { field }) } }, { status });
}
