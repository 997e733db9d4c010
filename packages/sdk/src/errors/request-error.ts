import { CallTransferError, kind, setFacts } from "./base.ts";
import type {
  ApiErrorDetails,
  Attempt,
  RequestContext,
  RequestErrorDetails,
  RequestOutcome,
  RetrySkippedReason,
} from "./details.ts";

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
  declare readonly retrySkippedReason: RetrySkippedReason | undefined;
  /** Milliseconds that the whole request took, its waits included. */
  declare readonly durationMs: number | undefined;
  /** Base URL of the API. */
  declare readonly baseUrl: string | undefined;
  /** Account that the request was for, if the client or the request named one (§5.2). */
  declare readonly accountId: string | undefined;
  /** The caller's own facts: the request's option `context`. */
  declare readonly context: RequestContext | undefined;
  /** Request ID of the last response, for support. */
  declare readonly requestId: string | undefined;

  /** Tests of your own code can create one, also of a subclass such as `ConnectionError`. */
  constructor(message: string, details: RequestErrorDetails, cause?: unknown) {
    super(message, cause);
    const { outcome, attempts, operationId, retrySkippedReason, durationMs, baseUrl, accountId, context } = details;
    const requestId = attempts
      .map((attempt) => attempt.requestId)
      .filter(Boolean)
      .at(-1);
    const facts = {
      operationId,
      outcome,
      attempts,
      retrySkippedReason,
      requestId,
      durationMs,
      baseUrl,
      accountId,
      context,
    };
    setFacts(this, facts);
  }
}

/** Class of an error that needs no details but those of every request. */
export interface FailureKind {
  new (message: string, details: RequestErrorDetails, cause?: unknown): RequestError;
  /** Its name. */
  readonly [kind]: string;
}

/** Why there is no usable response. */
export interface Failure {
  readonly kind: FailureKind;
  /** Follows the operationId in the error's message. */
  readonly message: string;
  readonly cause?: unknown;
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

/** What messages say about each reason. */
const reasons: Readonly<Record<RetrySkippedReason, string>> = {
  already_applied: "that would do it twice",
  not_idempotent: "it is not idempotent",
  untrusted_503: "it is not idempotent (see retry.trust503Codes)",
  list_inconclusive: "the list is inconclusive",
  body_not_replayable: "its body cannot be sent twice",
  retry_after_too_long: "the server asked to wait {} s, more than retry.maxRetryAfterMs",
  total_timeout: "totalTimeoutMs would expire first",
  retry_budget: "the client's retry budget is used up",
  token_still_expired: "the accessToken function keeps returning expired tokens",
};

/** Adds to a message why the request was not retried. */
export const withRetryReason = (
  message: string,
  { retrySkippedReason: reason, retryAfterSecs }: Pick<ApiErrorDetails, "retrySkippedReason" | "retryAfterSecs">,
): string => (reason ? `${message}; not retried: ${reasons[reason].replace("{}", `${retryAfterSecs}`)}` : message);
