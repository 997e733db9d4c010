import { CallTransferError } from "../errors/errors.ts";

/** An answer with what stands around its data. */
export interface ApiResponse<T> {
  /** The body, parsed. */
  readonly data: T;
  /** The response; its body can be read again. */
  readonly response: Response;
  /** Name it to support. */
  readonly requestId: string | undefined;
}

/** What `result()` gives: the answer or the error, told apart by `ok`. */
export type ApiResult<T> =
  | (ApiResponse<T> & { readonly ok: true; readonly error: undefined })
  | { readonly ok: false; readonly data: undefined; readonly error: CallTransferError };

/**
 * A request under way. It starts at once and only once: `await promise`, `promise.withResponse()` and
 * `promise.result()` look at the same request.
 */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "ApiPromise";
  readonly #answer: Promise<ApiResponse<T>>;

  constructor(answer: Promise<ApiResponse<T>>) {
    this.#answer = answer;
  }

  /** The data together with the response and its request id. */
  withResponse(): Promise<ApiResponse<T>> {
    return this.#answer;
  }

  /** The data or the SDK's error, without throwing. Mistakes in the code, such as an empty id, still throw. */
  result(): Promise<ApiResult<T>> {
    return this.#answer.then(
      (answer): ApiResult<T> => ({ ...answer, ok: true, error: undefined }),
      (error: unknown) => {
        if (error instanceof CallTransferError) return { ok: false, data: undefined, error };
        throw error;
      },
    );
  }

  // Typed after the platform's own, so that it can stand wherever a promise is expected.
  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  readonly then: Promise<T>["then"] = (onFulfilled, onRejected) =>
    this.#answer.then(({ data }) => data).then(onFulfilled, onRejected);

  readonly catch: Promise<T>["catch"] = (onRejected) => this.then(undefined, onRejected);

  readonly finally: Promise<T>["finally"] = (onFinally) => this.then().finally(onFinally);
}
