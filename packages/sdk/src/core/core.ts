import { ConfigurationError } from "../errors/base.ts";
import { check, checkOptions, type Given, requestRules } from "../options/checks.ts";
import type { ClientOptions, FindCandidates, RequestOptions } from "../options/options.ts";
import { resolveSettings, type Settings, withHeaders } from "../options/settings.ts";
import { replay } from "../send/body.ts";
import type { Call, Outgoing } from "../send/call.ts";
import { requestIdOf } from "../send/response.ts";
import { send } from "../send/send.ts";
import { isObject } from "../utils/guards.ts";
import { expandPath, serializeQuery } from "../utils/path.ts";
import { ApiPromise, type ApiResponse } from "./api-promise.ts";
import { findOperation, type Operation } from "./operation.ts";
import { type Transport, transport } from "./transport.ts";

/** Parameters and body of a request. */
export interface RequestInput {
  /** Path parameters by name. */
  readonly path?: Readonly<Record<string, unknown>>;
  /** Query parameters by name. */
  readonly query?: object | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Key in the options of a copy, for the client that it is a copy of. No caller can write it by mistake. */
export const original = Symbol("original");

/** By operationId, how to find results of an operation whose outcome is unknown. */
export type Finders = Readonly<Record<string, (client: CallTransferCore) => FindCandidates>>;

/** A client without methods, for the standalone functions: bundlers leave out the operations that are not used. */
export class CallTransferCore {
  readonly #settings: Settings;

  /**
   * Creates a client without methods. It needs a `baseUrl`, and an `apiKey` or an `accessToken`.
   *
   * @throws {ConfigurationError} An option is missing or invalid. The message never holds a secret.
   */
  constructor(options: ClientOptions = {}) {
    const { [original]: parent } = Object(options) as { readonly [original]?: CallTransferCore };
    // biome-ignore lint/complexity/useOptionalChain: TypeScript allows no private name in one
    this.#settings = resolveSettings(options, parent && parent.#settings);
  }

  /**
   * Sends a request to a path, such as `/api/v1/contacts/{id}` or `/api/v1/contacts/c-1?fields=name`. The path of an operation
   * that this SDK version knows is treated as that operation. Otherwise the method decides: GET, HEAD, OPTIONS, PUT and DELETE
   * are retried like a read, any other method is not sent again once it may have been carried out. The data is the parsed
   * JSON; undefined if the body is empty.
   *
   * @param findCandidates Finds results of the request if its outcome is unknown. `CallTransfer` knows how for the operations.
   * @throws {ApiError} The API answered with an error.
   * @throws {OutcomeUnknownError} An operation that is not idempotent may have been carried out.
   * @throws {ConnectionError | TimeoutError | AbortError | InvalidResponseError} There was no usable response.
   * @throws {ConfigurationError | TypeError} An option or a parameter is invalid, or the path leaves `baseUrl`. Nothing was sent.
   */
  request<T>(
    method: string,
    path: string,
    input: RequestInput = {},
    options?: RequestOptions,
    findCandidates?: FindCandidates,
  ): ApiPromise<T> {
    return new ApiPromise(this.#send<T>(method, path, input, options, findCandidates));
  }

  async #send<T>(
    method: string,
    path: string,
    input: RequestInput,
    options: RequestOptions | undefined,
    findCandidates: FindCandidates | undefined,
  ): Promise<ApiResponse<T>> {
    if ("body" in input && input.body === undefined) throw new TypeError("body is missing");
    const call = this.#prepare(method, path, options, findCandidates);
    const sent = await send<T>(call, toOutgoing(call, expandPath(path, input.path), input));
    if (sent.error) throw sent.error;
    const { data, response, text } = sent;
    return {
      data,
      // On demand: most callers use the data alone.
      get response() {
        return replay(response, text);
      },
      get requestId() {
        return requestIdOf(response, call.tokens);
      },
    };
  }

  #prepare(method: string, path: string, options?: RequestOptions, findCandidates?: FindCandidates): PreparedCall {
    const operation = findOperation(method, path, this.#settings.baseUrl);
    const find = findCandidates ?? this.findersOfOperations()[operation.operationId]?.(this);
    return prepareCall(this.#settings, operation, options, find);
  }

  /**
   * Not named by a symbol: bundlers keep a class whose member has a computed name.
   *
   * @internal
   */
  findersOfOperations(): Finders {
    return {};
  }

  /** @internal */
  [transport](): Transport {
    const { baseUrl, accountId } = this.#settings;
    return {
      baseUrl,
      accountId,
      prepare: (method, path, options, anyBody) => {
        const call = { ...this.#prepare(method, path, options), anyBody };
        const { headers } = call;
        return {
          headers,
          async send(outgoing) {
            const { response, text } = await send(call, outgoing);
            return replay(response, text);
          },
        };
      },
    };
  }
}

/** Builds the same request as openapi-fetch does for a JSON body. */
function toOutgoing(call: PreparedCall, path: string, input: RequestInput): Outgoing {
  const { settings, headers, extraBody, extraQuery } = call;
  const query = merge(extraQuery, input.query, isPresent);
  const search = query && serializeQuery(query);
  const url = settings.baseUrl + path + (search ? `${path.includes("?") ? "&" : "?"}${search}` : "");
  const json = input.body === undefined ? undefined : toJson(input.body);
  // Read again, so that the fields are those that would be sent.
  const own: unknown = extraBody && JSON.parse(json ?? "null");
  const isExtendable = isObject(own) && !Array.isArray(own);
  check(!extraBody || isExtendable, "extraBody", `requires a body that is an object, in ${call.operationId}`);
  if (json === undefined) return { url, headers };
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  return { url, headers, body: extraBody ? JSON.stringify(merge(extraBody, own as object)) : json };
}

/** @throws {TypeError} The body has no form in JSON, or another one than JSON. */
function toJson(body: unknown): string {
  const kind = Object.prototype.toString.call(body).slice("[object ".length, -1);
  const isForm = isObject(body) && kind !== "Object" && kind !== "Array";
  const json: string | undefined = isForm ? undefined : JSON.stringify(body);
  if (json !== undefined) return json;
  throw new TypeError(`body must be JSON, not ${kind}. To send something else, use raw() with a bodySerializer.`);
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Adds extra fields to named ones, which win unless they are absent. */
function merge(
  extra: object | undefined,
  named: object | null | undefined,
  isGiven: (value: unknown) => boolean = (value) => value !== undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (!extra) return named ? { ...named } : undefined;
  return { ...extra, ...Object.fromEntries(Object.entries(named ?? {}).filter(([, value]) => isGiven(value))) };
}

/** A call with the headers of its request. */
interface PreparedCall extends Call {
  readonly headers: Headers;
  readonly extraBody?: object | undefined;
  readonly extraQuery?: object | undefined;
}

/**
 * Combines the options of a request with the client's settings.
 *
 * @throws {ConfigurationError} An option is invalid, or `accountId` is missing.
 */
function prepareCall(
  settings: Settings,
  operation: Operation,
  options: RequestOptions | undefined,
  findCandidates: FindCandidates | undefined,
): PreparedCall {
  const given: Given<RequestOptions> = options === undefined ? {} : checkOptions(options, requestRules);
  const { signal, extraBody, extraQuery, ...findOptions } = given;
  const { headers, middleware, fetchOptions, accountId = settings.accountId } = findOptions;
  const { totalTimeoutMs = settings.totalTimeoutMs } = findOptions;
  if (operation.accountScoped && accountId === undefined && settings.auth.kind === "accessToken") {
    throw new ConfigurationError("accountId", `is required for ${operation.operationId} with an access token`);
  }
  // Names each field: copying all settings would take longer than the rest of this function.
  return {
    ...operation,
    settings,
    headers: withHeaders(settings.headers, headers),
    signal,
    timeoutMs: given.timeoutMs ?? settings.timeoutMs,
    maxRetries: given.maxRetries ?? settings.maxRetries,
    accountId,
    middleware: middleware ? [...settings.middleware, ...middleware] : settings.middleware,
    fetchOptions: fetchOptions ? merge(settings.fetchOptions ?? {}, fetchOptions) : settings.fetchOptions,
    extraBody,
    extraQuery,
    deadline: totalTimeoutMs && settings.elapsed() + totalTimeoutMs,
    findCandidates,
    findOptions,
    tokens: new Set(),
  };
}
