import { CallTransferError, kind } from "./base.ts";
import type { Attempt, RequestErrorDetails, RequestOutcome } from "./details.ts";

/** A request failed after it was started. */
export class RequestError extends CallTransferError implements RequestErrorDetails {
  /** @internal */
  static override readonly [kind]: string = "RequestError";
  /** Effect of the request on the server, over all attempts. */
  declare readonly outcome: RequestOutcome;
  /** Every attempt, in order. */
  declare readonly attempts: readonly Attempt[];
  /** The operationId; for an operation that this SDK version does not know, its method and path. */
  declare readonly operationId: string;
  /** Why the request was not retried although retries were left. Undefined where no retry was due or none was left. */
  declare readonly retrySkippedReason: string | undefined;
  /** Request ID of the last response, for support. */
  declare readonly requestId: string | undefined;

  /** Tests of your own code can create one, also of a subclass such as `ConnectionError`. */
  constructor(
    message: string,
    { outcome, attempts, operationId, retrySkippedReason }: RequestErrorDetails,
    cause?: unknown,
  ) {
    super(message, cause);
    const requestId = attempts
      .map((attempt) => attempt.requestId)
      .filter(Boolean)
      .at(-1);
    Object.assign(this, { outcome, attempts, operationId, retrySkippedReason, requestId });
  }
}

/** Class of an error that needs no details but those of every request. */
export interface FailureKind {
  new (message: string, details: RequestErrorDetails, cause?: unknown): RequestError;
  /** Its name. */
  readonly [kind]: string;
}

/** The connection could not be made, or was lost. */
export class ConnectionError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "ConnectionError";
}

/** An attempt exceeded `timeoutMs`, or the whole request `totalTimeoutMs`. */
export class TimeoutError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "TimeoutError";
}

/** The caller's signal aborted the request. The signal's reason is the `cause`. */
export class AbortError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "AbortError";
}

/**
 * A successful response had an unusable body. JSON that is truncated or too large comes from the API: the `outcome` is
 * `applied`. Anything else, such as a login page, may come from a proxy: the `outcome` is `unknown`.
 */
export class InvalidResponseError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "InvalidResponseError";
}

/** Adds to a message why the request was not retried. */
export const withRetryReason = (message: string, { retrySkippedReason }: RequestErrorDetails): string =>
  retrySkippedReason === undefined ? message : `${message}; not retried: ${retrySkippedReason}`;
