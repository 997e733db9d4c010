import { defaultBodySerializer, mergeHeaders } from "openapi-fetch";
import { ConfigurationError } from "../errors/errors.ts";
import { operationFacts } from "../generated/operations.gen.ts";
import type { ClientOptions, RequestOptions } from "../options/options.ts";
import { checkedRequest, type Settings, settingsOf } from "../options/settings.ts";
import { requestIdOf } from "../send/answer.ts";
import type { Call, Outgoing } from "../send/call.ts";
import { send } from "../send/send.ts";
import { isText } from "../utils/guards.ts";
import { expandPath, serializeQuery } from "../utils/path.ts";
import { ApiPromise, type ApiResponse } from "./api-promise.ts";
import type { FindCandidates } from "./reconcile.ts";

/** What a request consists of besides its place. */
export interface RequestInput {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** Kept here and not in the clients, so that `raw` reaches them too, and nobody else does. */
const settingsOfClients = new WeakMap<CallTransferCore, Settings>();

/** What every request of a client goes through. Standalone functions take it, so that unused operations cost nothing. */
export class CallTransferCore {
  /**
   * @param parent A client whose retry budget this one shares.
   * @throws {ConfigurationError} names the option to change, never a secret's value.
   */
  constructor(options: ClientOptions, parent?: CallTransferCore) {
    settingsOfClients.set(this, settingsOf(options, parent && settingsOfClients.get(parent)));
  }

  /**
   * Sends a request to a path template such as `/api/v1/roles`.
   *
   * @param findCandidates Looks whether the request was carried out, when nobody can tell.
   * @throws {ApiError} The API answered with an error.
   * @throws {OutcomeUnknownError} Nobody can tell whether an operation that must not be repeated was carried out.
   * @throws {ConnectionError | TimeoutError | AbortError | InvalidResponseError} There was no usable answer.
   * @throws {ConfigurationError | TypeError} An option or an id is unusable; nothing was sent.
   */
  request<T>(
    method: string,
    template: string,
    input: RequestInput,
    options: RequestOptions = {},
    findCandidates?: FindCandidates,
  ): ApiPromise<T> {
    return new ApiPromise(this.#answer<T>(method, template, input, options, findCandidates));
  }

  async #answer<T>(
    method: string,
    template: string,
    input: RequestInput,
    options: RequestOptions,
    findCandidates: FindCandidates | undefined,
  ): Promise<ApiResponse<T>> {
    if ("body" in input && input.body === undefined) throw new TypeError("body is missing");
    const call = begin(this, method, template, options, findCandidates);
    const { data, response, error } = await send(call, written(call, expandPath(template, input.path), input));
    if (error) throw error;
    return { data: data as T, response, requestId: requestIdOf(response, call.tokens) };
  }
}

/** Its types leave out the headers, which say whether the body is a form. */
const serialize = defaultBodySerializer as (body: unknown, headers: Headers) => unknown;

/** The request that openapi-fetch would make, without its client, which only `raw` needs. */
function written({ baseUrl, headers }: Begun, path: string, { query, body: given }: RequestInput): Outgoing {
  const body = given === undefined ? undefined : serialize(given, headers);
  if (isText(body) && !headers.has("content-type")) headers.set("content-type", "application/json");
  const search = serializeQuery({ ...query });
  return { url: baseUrl + path + (search && `?${search}`), headers, body };
}

/** A call with the headers that its request begins with: the client's and, over them, the request's own. */
export interface Begun extends Call {
  readonly headers: Headers;
}

/** Checks the options of a request, and gathers what it may do. */
export function begin(
  client: CallTransferCore,
  method: string,
  template: string,
  options: RequestOptions,
  findCandidates?: FindCandidates,
): Begun {
  const settings = settingsOfClients.get(client) as Settings;
  const given = checkedRequest(options);
  const { headers, middleware = [] } = given;
  const operationId = `${method} ${template}`;
  const operation = operationFacts[operationId] ?? { operationId, retry: "once" };
  const filled = { ...settings, ...given };
  const { accountId, totalTimeoutMs } = filled;
  if (operation.accountScoped && accountId === undefined && settings.auth.kind === "accessToken") {
    const mend = `is required: ${operation.operationId} with an access token is for one account`;
    throw new ConfigurationError("accountId", mend);
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
