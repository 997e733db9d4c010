import { type ErrorCode, errorCodes } from "@call-transfer/spec";
import type * as z from "zod";
import type { ControlOperationId, controlOperations } from "../generated/operations.gen.ts";
import type { controlSchemas } from "../generated/schemas.gen.ts";
import type { operations } from "../generated/types.gen.ts";
import type { RequestHeaders } from "../http/transport.ts";
import type { BackendControls } from "./controls.ts";

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

/** The error response for something that does not exist; `field` names the parameter that says which. */
export const notFound = (what: string, field = "id"): Response =>
  controlError("not_found", `There is no ${what}.`, field);

type Part<Id extends ControlOperationId, Name extends string> =
  (typeof controlSchemas)[Id] extends Record<Name, () => infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** What a sandbox shows in the list of sandboxes. */
export type SandboxState = Omit<SuccessBody<"listSandboxes">["sandboxes"][number], "name" | "path">;

/** The sandboxes that the control plane manages: in this process, or elsewhere. */
export interface ManagedSandboxes {
  /** Lists the names, in the order of creation. */
  list(): readonly string[] | Promise<readonly string[]>;
  /** Describes a sandbox; undefined if none has this name. */
  describe(name: string): SandboxState | undefined | Promise<SandboxState | undefined>;
  /** Creates a sandbox. Throws, or rejects with, InputError naming the invalid field. */
  create(name: string, options: NewSandboxOptions): unknown;
  /** Deletes a sandbox; false if none has this name. Throws, or rejects with, InputError for `default`. */
  delete(name: string): boolean | Promise<boolean>;
  /** A copy of the data file of all sandboxes; undefined if there is none. */
  copy?(): Uint8Array | undefined;
}
type NewSandbox = Part<"createSandbox", "body">;
/** The options of a new sandbox, as the control plane takes them. */
export type NewSandboxOptions = {
  readonly [Name in Exclude<keyof NewSandbox, "name">]?: Exclude<NewSandbox[Name], undefined>;
};

/** A validated request to the control plane. */
export interface ControlExchange<Id extends ControlOperationId> {
  readonly backend: BackendControls;
  /** The sandboxes that the backend belongs to. */
  readonly sandboxes: ManagedSandboxes | undefined;
  readonly params: Readonly<Record<(typeof controlOperations)[Id]["pathParameters"][number], string>>;
  readonly query: Part<Id, "query">;
  readonly body: Part<Id, "body">;
  readonly headers: RequestHeaders;
}

/** The handlers by operationId. A handler returns the success body, or a whole response. */
export type ControlHandlers<Id extends ControlOperationId = ControlOperationId> = {
  readonly [Name in Id]: (exchange: ControlExchange<Name>) => Reply<Name> | Promise<Reply<Name>>;
};
type Reply<Id extends ControlOperationId> = SuccessBody<Id> | Response;
