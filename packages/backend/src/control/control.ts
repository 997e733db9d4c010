import type * as z from "zod";
import { type ControlOperationId, controlOperations } from "../generated/operations.gen.ts";
import { controlSchemas } from "../generated/schemas.gen.ts";
import { createRouter } from "../http/router.ts";
import { controlPrefix, sandboxPrefix } from "../http/select-sandbox.ts";
import { headOf, type IncomingRequest, type RequestHeaders } from "../http/transport.ts";
import { maxBodyBytesOf, readBody, readQuery } from "../http/validate.ts";
import { withCanonicalIds, withCanonicalParams } from "../utils/ids.ts";
import { checkInput, InputError, InUseError } from "../utils/input-error.ts";
import { suggestion } from "../utils/text.ts";
import { messageOf } from "../utils/values.ts";
import type { BackendControls } from "./controls.ts";
import { type ControlHandlers, controlError, type SandboxRegistry } from "./exchange.ts";
import { recordHandlers } from "./record-handlers.ts";
import { requestHandlers } from "./request-handlers.ts";
import { sandboxHandlers } from "./sandbox-handlers.ts";
import { webhookHandlers } from "./webhook-handlers.ts";

const handlers: ControlHandlers = {
  ...recordHandlers,
  ...requestHandlers,
  ...sandboxHandlers,
  ...webhookHandlers,
};

/** The input of any operation after validation. */
interface ControlInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}
/** What a request acts on. */
interface ControlScope {
  /** Absent for requests that act on the sandboxes only. */
  readonly backend?: BackendControls;
  readonly sandboxes: SandboxRegistry | undefined;
}
type AnyHandler = (exchange: ControlInput & ControlScope & { readonly headers: RequestHeaders }) => unknown;
interface AnySchemas {
  readonly path?: () => z.ZodType;
  readonly query?: () => z.ZodType;
  readonly body?: () => z.ZodType;
}
type ControlOperation = (typeof controlOperations)[ControlOperationId];

/** Operations whose handler checks the body, with clearer messages than the schema's. */
const checkedByBackend: ReadonlySet<string> = new Set<ControlOperationId>(["addFault", "restoreSnapshot"]);

const match = createRouter<ControlOperation>(Object.values(controlOperations));

/**
 * Returns the body size limit of a request, in bytes: 1 MiB, and more for control plane operations that accept a whole state.
 * The path may start with a sandbox prefix.
 */
export function bodyLimit(method: string, path: string): number {
  const rest = path.replace(sandboxPrefix, "");
  const found = rest.startsWith(`${controlPrefix}/`) ? match(method, rest) : undefined;
  return maxBodyBytesOf(found !== undefined && "operation" in found ? found.operation : undefined);
}

/** Responds to a request to the control plane. Errors name the invalid field. */
export async function serveControl(scope: ControlScope, request: IncomingRequest, url: URL): Promise<Response> {
  const response = await reply(scope, request, url);
  // Most replies hold secrets, or what changes at any time.
  response.headers.set("Cache-Control", "no-store");
  return request.method === "HEAD" ? headOf(response) : response;
}

/**
 * Responds to a request that lists, creates or deletes sandboxes, for a server whose sandboxes are elsewhere. Finds no other
 * operation.
 */
export function serveSandboxes(sandboxes: SandboxRegistry, request: IncomingRequest, url: URL): Promise<Response> {
  return serveControl({ sandboxes }, request, url);
}

const registryOperations: readonly string[] = ["listSandboxes", "createSandbox", "deleteSandbox"];

async function reply(scope: ControlScope, request: IncomingRequest, url: URL): Promise<Response> {
  const { headers, method } = request;
  const origin = headers.get("origin");
  if ((origin !== null && origin !== url.origin) || headers.get("sec-fetch-site") === "cross-site")
    return controlError("forbidden", "The control plane rejects requests from other sites.");
  const found = match(method, url.pathname);
  const isServed = found !== undefined && "operation" in found;
  if (!isServed || (scope.backend === undefined && !registryOperations.includes(found.operation.id)))
    return controlError("not_found", unknownOperation(method, url.pathname, isServed ? undefined : found?.allow));
  const { operation } = found;
  try {
    const input = await readInput(request, url, operation, found.params);
    if (input instanceof Response) return input;
    const result = await (handlers[operation.id] as AnyHandler)({ ...scope, headers, ...input });
    if (result instanceof Response) return result;
    return operation.status === 204
      ? new Response(null, { status: operation.status })
      : Response.json(result, { status: operation.status });
  } catch (error) {
    return failure(error);
  }
}

function unknownOperation(method: string, path: string, allowed: readonly string[] | undefined): string {
  return allowed === undefined
    ? `There is no ${method} ${path}. See ${controlPrefix}/openapi.json for all operations.`
    : `There is no ${method} ${path}. Allowed methods: ${allowed.join(", ")}.`;
}

/** Reads and validates the input of an operation. Throws InputError naming the invalid field. */
async function readInput(
  request: IncomingRequest,
  url: URL,
  operation: ControlOperation,
  rawParams: Readonly<Record<string, string>>,
): Promise<ControlInput | Response> {
  const params = Object.fromEntries(Object.entries(rawParams).map(([name, text]) => [name, decoded(name, text)]));
  const schemas: AnySchemas = controlSchemas[operation.id];
  if (schemas.path !== undefined) checkInput(schemas.path(), params);
  checkQueryNames(url.searchParams, operation);
  const query = readQuery(url.searchParams, operation, undefined);
  const body = operation.hasBody
    ? await readBody(request, undefined, undefined, maxBodyBytesOf(operation))
    : { value: undefined };
  if (query.problem) return controlError("bad_request", query.problem.detail);
  if (body.problem) return controlError(body.problem.code, body.problem.detail);
  const read = checkedByBackend.has(operation.id) ? body.value : schemas.body && checkInput(schemas.body(), body.value);
  return {
    params: withCanonicalParams(params),
    query: schemas.query && checkInput(schemas.query(), query.value),
    // Stubs and faults, also those of a snapshot, hold texts of requests and responses, which stay as they are.
    body: schemas.body && (/stub|fault|snapshot/i.test(operation.id) ? read : withCanonicalIds(read)),
  };
}

/** Throws InputError that names an unknown query parameter: the request might have another effect than it seems. */
function checkQueryNames(parameters: URLSearchParams, { queryParameters }: ControlOperation): void {
  // The server in front of the backend reads the control token.
  const known = [...Object.keys(queryParameters), "token"];
  const unknown = [...parameters.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const advice =
    unknown === "sandbox"
      ? " Select a sandbox with the header X-Sandbox or with a path such as /_sandbox/NAME/_control/v1/faults."
      : suggestion(unknown, known);
  throw new InputError(unknown, `is not a query parameter of this operation.${advice}`);
}

function failure(error: unknown): Response {
  if (error instanceof InputError) {
    const code = error instanceof InUseError ? "conflict" : "invalid_input";
    return controlError(code, error.message, error.field || "body");
  }
  // The message is safe to show: the client already has full control over the backend.
  return controlError("internal_error", `The control plane failed: ${messageOf(error)}`);
}

/** Decodes a path parameter: clients percent-encode the plus sign of a phone number. */
function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InputError(name, "is not valid percent-encoding");
  }
}
