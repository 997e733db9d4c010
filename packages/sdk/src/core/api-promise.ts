import { CallTransferError } from "../errors/base.ts";

/** A successful response with its data. */
export interface ApiResponse<T> {
  /** The parsed body. */
  readonly data: T;
  /** The response. Its body can be read again. */
  readonly response: Response;
  /** Request ID, for support. */
  readonly requestId: string | undefined;
}

/** Result of `result()`: a response or an error. Check `ok`. */
export type ApiResult<T> =
  | (ApiResponse<T> & { readonly ok: true; readonly error: undefined })
  | { readonly ok: false; readonly data: undefined; readonly error: CallTransferError };

/**
 * A request in flight. `await promise`, `promise.withResponse()` and `promise.result()` share the same request, which
 * starts at once.
 */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "ApiPromise";
  readonly #response: Promise<ApiResponse<T>>;

  /** @internal */
  constructor(response: Promise<ApiResponse<T>>) {
    this.#response = response;
  }

  /** Returns the data with the response and its request ID. */
  withResponse(): Promise<ApiResponse<T>> {
    return this.#response;
  }

  /** Returns the data or the error without throwing, also for an invalid argument. */
  async result(): Promise<ApiResult<T>> {
    try {
      return { ...(await this.#response), ok: true, error: undefined };
    } catch (error) {
      if (error instanceof CallTransferError) return { ok: false, data: undefined, error };
      throw error;
    }
  }

  /** An async function, because stack traces name the caller only across those. */
  async #data(): Promise<T> {
    return (await this.#response).data;
  }

  // These have the platform's own types, so that the promise is accepted wherever one is expected.
  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  readonly then: Promise<T>["then"] = (onFulfilled, onRejected) => this.#data().then(onFulfilled, onRejected);

  readonly catch: Promise<T>["catch"] = (onRejected) => this.then(undefined, onRejected);

  readonly finally: Promise<T>["finally"] = (onFinally) => this.then().finally(onFinally);
}

/**
 * A success of a `type` that this SDK version does not know. It has all fields that the API sent, but not in its type: else a field
 * of another result, such as `position`, would compile and be undefined.
 */
export interface UnknownResult {
  // As plain `string` it would match the known types too, so that a check of `type` would not narrow.
  /** The type as the API sent it, e.g. `scheduled`; without the prefix that the compiler shows. */
  readonly type: `unknown: ${string}`;
}
