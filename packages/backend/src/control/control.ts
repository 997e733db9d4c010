import type { z } from "zod";
import type { Backend } from "../backend.ts";
import { createRouter } from "../http/router.ts";
import type { Asked } from "../http/transport.ts";
import { largestBody, readBody, readQuery } from "../http/validate.ts";
import { checkInput, InputError, InUseError } from "../model/input-error.ts";
import { isProblem } from "../model/problem.ts";
import type { Sandboxes } from "../sandboxes.ts";
import { authHandlers } from "./auth.ts";
import { clockHandlers } from "./clock.ts";
import { eventHandlers } from "./events.ts";
import { faultHandlers } from "./faults.ts";
import { type ControlOperationId, controlOperations } from "./generated/operations.gen.ts";
import { controlSchemas } from "./generated/schemas.gen.ts";
import { controlFailure, controlPrefix, type SuccessBody, sandboxPrefix } from "./reply.ts";
import { requestHandlers } from "./requests.ts";
import { sandboxHandlers } from "./sandboxes.ts";
import { stateHandlers } from "./state.ts";
import { transferHandlers } from "./transfers.ts";
import { webhookHandlers } from "./webhooks.ts";

type Part<Id extends ControlOperationId, Name extends string> =
  (typeof controlSchemas)[Id] extends Record<Name, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** A checked request to the control plane. */
export interface ControlExchange<Id extends ControlOperationId> {
  readonly backend: Backend;
  /** The sandboxes that the backend is one of. */
  readonly sandboxes: Sandboxes | undefined;
  readonly params: Readonly<Record<(typeof controlOperations)[Id]["pathParameters"][number], string>>;
  readonly query: Part<Id, "query">;
  readonly body: Part<Id, "body">;
}

/** What answers an operation: the body of its success, or a response of its own. */
export type ControlHandlers<Id extends ControlOperationId = ControlOperationId> = {
  readonly [Name in Id]: {
    handle(exchange: ControlExchange<Name>): Reply<Name> | Promise<Reply<Name>>;
  }["handle"];
};
type Reply<Id extends ControlOperationId> = SuccessBody<Id> | Response;

const handlers: ControlHandlers = {
  ...authHandlers,
  ...clockHandlers,
  ...eventHandlers,
  ...faultHandlers,
  ...requestHandlers,
  ...sandboxHandlers,
  ...stateHandlers,
  ...transferHandlers,
  ...webhookHandlers,
};

type AnyHandler = (exchange: {
  readonly backend: Backend;
  readonly sandboxes: Sandboxes | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}) => unknown;
interface AnySchemas {
  readonly path?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
}

const match = createRouter(Object.values(controlOperations));

/**
 * The largest body of a request, in bytes: 1 MiB, and more for the operations of the control plane that take a state. The path
 * may select a sandbox.
 */
export function bodyLimit(method: string, path: string): number {
  const rest = path.replace(sandboxPrefix, "");
  const found = rest.startsWith(`${controlPrefix}/`) ? match(method, rest) : undefined;
  return largestBody(found !== undefined && "operation" in found ? found.operation : undefined);
}

/** Answers a request to the control plane. Errors name the bad field and have the plane's own shape. */
export async function control(
  backend: Backend,
  sandboxes: Sandboxes | undefined,
  request: Asked,
  url: URL,
): Promise<Response> {
  const origin = request.headers.get("origin");
  if ((origin !== null && origin !== url.origin) || request.headers.get("sec-fetch-site") === "cross-site")
    return controlFailure("forbidden", "The control plane refuses requests from other sites.");
  const found = match(request.method, url.pathname);
  if (found === undefined || "allow" in found) {
    const hint = found ? `it takes ${found.allow.join(", ")}` : `${controlPrefix}/openapi.json lists every path`;
    return controlFailure("not_found", `There is no ${request.method} ${url.pathname}; ${hint}.`);
  }
  const { operation } = found;
  try {
    const params = Object.fromEntries(Object.entries(found.params).map(([name, text]) => [name, decoded(name, text)]));
    const schemas: AnySchemas = controlSchemas[operation.id];
    if (schemas.path !== undefined) checkInput(schemas.path, params);
    const query = readQuery(url.searchParams, operation, undefined);
    const body = operation.hasBody
      ? await readBody(request, undefined, undefined, largestBody(operation))
      : { value: undefined };
    if (isProblem(query)) return controlFailure("bad_request", query.problem.detail);
    if (isProblem(body)) return controlFailure(body.problem.code, body.problem.detail);
    const reply = await (handlers[operation.id] as AnyHandler)({
      backend,
      sandboxes,
      params,
      query: schemas.query && checkInput(schemas.query, query.value),
      body: schemas.body && checkInput(schemas.body, body.value),
    });
    if (reply instanceof Response) return reply;
    return operation.status === 204
      ? new Response(null, { status: operation.status })
      : Response.json(reply, { status: operation.status });
  } catch (error) {
    // Fields are named as in the request itself, without a root.
    if (error instanceof InputError) {
      const code = error instanceof InUseError ? "conflict" : "invalid_input";
      return controlFailure(code, error.message, error.field || "body");
    }
    // No journal keeps it, and whoever may ask may know.
    const reason = error instanceof Error ? error.message : String(error);
    return controlFailure("internal_error", `The control plane failed: ${reason}`);
  }
}

/** A path parameter as it was meant: clients percent-encode the plus sign of a phone number. */
function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InputError(name, "is not percent-encoded as it should be");
  }
}
