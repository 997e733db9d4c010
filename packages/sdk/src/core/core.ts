import { argumentError, InvalidArgumentError } from "../errors/base.ts";
import type { ClientOptions, FindCandidates, RequestOptions } from "../options/options.ts";
import { resolveSettings, type Settings } from "../options/settings.ts";
import { replay } from "../send/body.ts";
import type { Call } from "../send/call.ts";
import { requestIdOf } from "../send/result.ts";
import { send } from "../send/send.ts";
import { isObject } from "../utils/guards.ts";
import { ApiPromise, type ApiResponse } from "./api-promise.ts";
import { findOperation } from "./path.ts";
import { prepareCall, type RequestInput } from "./prepare.ts";
import { type Transport, transport } from "./transport.ts";

/** Key in the options of a copy, for the client that it is a copy of. No caller can write it by mistake. */
export const original = Symbol("original");

/** By operationId, how to find results of an operation whose outcome is unknown. */
export type Finders = Readonly<Record<string, (client: CallTransferCore) => FindCandidates>>;

/** A client without methods, for the standalone functions: bundlers leave out the operations that are not used. */
export class CallTransferCore {
  readonly #settings: Settings;

  /**
   * Vue's `reactive()` leaves alone what says so, as `markRaw()` does: a proxy has no private fields.
   *
   * @internal
   */
  get __v_skip(): boolean {
    return true;
  }

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
   * @throws {ApiError} The API answered with an error.
   * @throws {OutcomeUnknownError} An operation that is not idempotent may have been carried out.
   * @throws {ConnectionError | TimeoutError | AbortError | InvalidResponseError} There was no usable response.
   * @throws {ConfigurationError | InvalidArgumentError} An option or a parameter is invalid, or the path leaves `baseUrl`. Nothing was sent.
   */
  request<T>(method: string, path: string, input?: RequestInput, options?: RequestOptions): ApiPromise<T>;
  /** @internal */
  request<T>(
    method: string,
    path: string,
    input: RequestInput,
    options: RequestOptions | undefined,
    findCandidates: FindCandidates,
  ): ApiPromise<T>;
  request<T>(
    method: string,
    path: string,
    input: RequestInput = {},
    options?: RequestOptions,
    findCandidates?: FindCandidates,
  ): ApiPromise<T> {
    const respond = async (): Promise<ApiResponse<T>> => {
      let call: Call;
      // Not with readArguments(): a stack trace shows ten frames, and the caller's must be among them.
      try {
        call = this.#prepare(method, path, options, findCandidates, input);
      } catch (error) {
        throw argumentError("an argument", error);
      }
      const { data, response, text, error } = await send<T>(call);
      if (error) throw error;
      return {
        data,
        // On demand: most callers use the data alone.
        get response() {
          return replay(response, text);
        },
        get requestId() {
          return requestIdOf(response, call);
        },
      };
    };
    return new ApiPromise(respond());
  }

  /** Without an input, the caller adds what is sent. */
  #prepare(method: string, path: string, options?: RequestOptions, given?: FindCandidates, input?: RequestInput): Call {
    const operation = findOperation(method, path, this.#settings.baseUrl);
    if (input !== undefined && !isObject(input))
      throw new InvalidArgumentError("input", "must be an object with path, query and body");
    const find = given ?? this.findersOfOperations()[operation.operationId]?.(this);
    return prepareCall(this.#settings, operation, options, find, input);
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
        const call = this.#prepare(method, path, options);
        return {
          headers: call.headers,
          async send({ url, headers, body }, throws) {
            const { response, text, error } = await send(Object.assign(call, { url, headers, body, anyBody }));
            if (throws && error) throw error;
            return replay(response, text);
          },
        };
      },
    };
  }
}
