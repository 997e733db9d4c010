import { type ErrorCode, errorCodes } from "@call-transfer/spec";
import type { ControlOperationId } from "../../generated/operations.gen.ts";
import type { operations } from "../../generated/types.gen.ts";

type Contents<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201
    ? Responses[Status] extends { content: { "application/json": infer Body } }
      ? Body
      : never
    : never;
}[keyof Responses];

/** The success body of an operation, as control.yaml defines it; `unknown` and not sent for an operation without one. */
export type SuccessBody<Id extends ControlOperationId> = [Contents<operations[Id]["responses"]>] extends [never]
  ? unknown
  : Contents<operations[Id]["responses"]>;

/** Creates an error response of the control plane; a code of the API has the same status there. */
export function controlError(code: ErrorCode | "invalid_input", message: string, field?: string): Response {
  const status = errorCodes[code === "invalid_input" ? "validation_failed" : code].mockStatus;
  return Response.json({ error: { code, message, ...(field !== undefined && { field }) } }, { status });
}
