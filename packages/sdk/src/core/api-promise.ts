import { CallTransferError } from "../errors/base.ts";
import { replay } from "../send/body.ts";
import { requestIdOf } from "../send/response.ts";

/** A successful response with its data. */
export interface ApiResponse<T> {
  /** The parsed body. */
  readonly data: T;
  /** The response. Its body can be read again. */
  readonly response: Response;
  /** Request ID, for support. */
  readonly requestId: string | undefined;
}

/** What an `ApiPromise` is made of. */
export interface ApiPromiseSource<T> {
  /** The parsed body. */
  readonly data: T;
  /** The response. */
  readonly response: Response;
  /** Its body, if that was read; null for a response without one. */
  readonly text?: string | null;
  /** Texts to remove from the request ID, such as the access token. */
  readonly tokens?: ReadonlySet<string>;
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
  readonly #source: Promise<ApiPromiseSource<T>>;

  /**
   * Tests of your own code can create one, in place of what a method of the client returns.
   *
   * @param source A request in flight, or another promise of the same request.
   */
  constructor(source: Promise<ApiPromiseSource<T>> | ApiPromise<T>) {
    if (#source in source) this.#source = source.#source;
    // A promise of another copy of the SDK, such as the CommonJS one.
    else this.#source = hasResponse<T>(source) ? source.withResponse() : source;
  }

  /** Returns the data with the response and its request ID. */
  async withResponse(): Promise<ApiResponse<T>> {
    const { data, response, text, tokens = new Set() } = await this.#source;
    // Only here: most callers use the data alone.
    const readable = text === undefined ? response : replay(response, text);
    return { data, response: readable, requestId: requestIdOf(response, tokens) };
  }

  /** Returns the data or the SDK's error without throwing. Programming errors, such as an empty ID, still throw. */
  async result(): Promise<ApiResult<T>> {
    try {
      return { ...(await this.withResponse()), ok: true, error: undefined };
    } catch (error) {
      if (error instanceof CallTransferError) return { ok: false, data: undefined, error };
      throw error;
    }
  }

  // These have the platform's own types, so that the promise is accepted wherever one is expected.
  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  readonly then: Promise<T>["then"] = (onFulfilled, onRejected) =>
    this.#source.then(
      ({ data }) => (typeof onFulfilled === "function" ? onFulfilled(data) : (data as never)),
      onRejected,
    );

  readonly catch: Promise<T>["catch"] = (onRejected) => this.then(undefined, onRejected);

  readonly finally: Promise<T>["finally"] = (onFinally) => this.then().finally(onFinally);
}

const hasResponse = <T>(source: object): source is Pick<ApiPromise<T>, "withResponse"> => "withResponse" in source;
