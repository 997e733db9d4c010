import { defaultBodySerializer, mergeHeaders } from "openapi-fetch";
import { ConfigurationError } from "../errors/base.ts";
import { operationFacts } from "../generated/operations.gen.ts";
import { checkOptions, requestRules } from "../options/checks.ts";
import type { ClientOptions, FindCandidates, RequestOptions } from "../options/options.ts";
import { resolveSettings, type Settings } from "../options/settings.ts";
import type { Call, Outgoing } from "../send/call.ts";
import { requestIdOf } from "../send/response.ts";
import { send } from "../send/send.ts";
import { isText } from "../utils/guards.ts";
import { expandPath, serializeQuery } from "../utils/path.ts";
import { ApiPromise, type ApiResponse } from "./api-promise.ts";

/** Parameters and body of a request. */
export interface RequestInput {
  /** Path parameters by name. */
  readonly path?: Readonly<Record<string, unknown>>;
  /** Query parameters by name. */
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** Settings of each client. Kept here so that `raw` can read them, and nothing outside the SDK can. */
const settingsOfClients = new WeakMap<CallTransferCore, Settings>();

/** A client without methods, for the standalone functions: bundlers leave out the operations that are not used. */
export class CallTransferCore {
  /**
   * @param parent A client to share the retry budget with.
   * @throws {ConfigurationError} An option is missing or invalid.
   */
  constructor(options: ClientOptions, parent?: CallTransferCore) {
    settingsOfClients.set(this, resolveSettings(options, parent && settingsOfClients.get(parent)));
  }

  /**
   * Sends a request to a path template such as `/api/v1/roles`.
   *
   * @param findCandidates Finds results of the request if its outcome is unknown.
   * @throws {ApiError} The API answered with an error.
   * @throws {OutcomeUnknownError} An operation that is not idempotent may have been carried out.
   * @throws {ConnectionError | TimeoutError | AbortError | InvalidResponseError} There was no usable response.
   * @throws {ConfigurationError | TypeError} An option or a parameter is invalid. Nothing was sent.
   */
  request<T>(
    method: string,
    template: string,
    input: RequestInput,
    options: RequestOptions = {},
    findCandidates?: FindCandidates,
  ): ApiPromise<T> {
    return new ApiPromise(this.#send<T>(method, template, input, options, findCandidates));
  }

  async #send<T>(
    method: string,
    template: string,
    input: RequestInput,
    options: RequestOptions,
    findCandidates: FindCandidates | undefined,
  ): Promise<ApiResponse<T>> {
    if ("body" in input && input.body === undefined) throw new TypeError("body is missing");
    const call = prepareCall(this, method, template, options, findCandidates);
    const { data, response, error } = await send(call, toOutgoing(call, expandPath(template, input.path), input));
    if (error) throw error;
    return { data: data as T, response, requestId: requestIdOf(response, call.tokens) };
  }
}

/** Its declared type lacks the headers, which say whether the body is a form. */
const serialize = defaultBodySerializer as (body: unknown, headers: Headers) => unknown;

/** Builds the same request as openapi-fetch, without its client, which only `raw` needs. */
function toOutgoing({ baseUrl, headers }: PreparedCall, path: string, input: RequestInput): Outgoing {
  const body = input.body === undefined ? undefined : serialize(input.body, headers);
  if (isText(body) && !headers.has("content-type")) headers.set("content-type", "application/json");
  const search = serializeQuery({ ...input.query });
  return { url: baseUrl + path + (search && `?${search}`), headers, body };
}

/** A call with the headers of its request. */
export interface PreparedCall extends Call {
  readonly headers: Headers;
}

/**
 * Combines the options of a request with the client's settings.
 *
 * @throws {ConfigurationError} An option is invalid, or `accountId` is missing.
 */
export function prepareCall(
  client: CallTransferCore,
  method: string,
  template: string,
  options: RequestOptions,
  findCandidates?: FindCandidates,
): PreparedCall {
  const settings = settingsOfClients.get(client) as Settings;
  const given = checkOptions(options, requestRules);
  const { headers, middleware = [] } = given;
  const operationId = `${method} ${template}`;
  const operation = operationFacts[operationId] ?? { operationId, retry: "once" };
  const filled = { ...settings, ...given };
  const { accountId, totalTimeoutMs } = filled;
  if (operation.accountScoped && accountId === undefined && settings.auth.kind === "accessToken") {
    throw new ConfigurationError("accountId", `is required for ${operation.operationId} with an access token`);
  }
  return {
    ...filled,
    ...operation,
    route: template,
    method: method.toUpperCase(),
    headers: mergeHeaders(settings.headers, headers),
    middleware: [...settings.middleware, ...middleware],
    deadline: totalTimeoutMs && settings.elapsed() + totalTimeoutMs,
    findCandidates,
    findOptions: { accountId: given.accountId, headers, middleware },
    tokens: new Set(),
  };
}
