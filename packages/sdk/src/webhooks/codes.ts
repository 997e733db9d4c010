// What `onError` receives beside an error, so that programs need not read messages.

/** Why a webhook was refused, or what an operator should know. A later version may add codes: write a default case. */
export type WebhookErrorCode =
  /** The signature header is missing or malformed. */
  | "bad_header"
  /** No signature matches: another secret, a changed body, or a forgery. */
  | "no_match"
  /** The signature is genuine, but its time differs by more than `toleranceMs`: a clock that is off, or a replay. */
  | "stale"
  /** The signature is genuine, but the body is not an event. */
  | "bad_event"
  /** The body cannot be verified: it was read or parsed before. */
  | "bad_body"
  /** The body is larger than 1 MiB. */
  | "too_large"
  /** The request is not a POST, or is no HTTP request. */
  | "bad_request"
  /** Several genuine webhooks in a row were `stale` by the same time. */
  | "clock_skew"
  /** The function for `secret` failed. */
  | "secrets_failed"
  /** `onEvent` threw, returned neither nothing nor a `Response`, or ended the transaction of the inbox. */
  | "event_failed"
  /** The response could not be sent. */
  | "response_failed"
  /** A copy was refused, because of `duplicates: "refuse"`. */
  | "duplicate"
  /** A copy waited for the first answer for `waitMs`. */
  | "busy"
  /** A step of the store took longer than `storeTimeoutMs`, or the database of the inbox longer than `waitMs` or 2 s. */
  | "store_timeout"
  /** A step waited for its turn for `waitMs`: the store is slower than the webhooks arrive. */
  | "store_busy"
  /** A step of the store failed, or returned what the interface does not allow. Or the database of the inbox failed. */
  | "store_failed"
  /** The store forgot answers before `keepMs` was over. */
  | "store_forgets"
  /** The stored answer has a version that this SDK does not know. */
  | "answer_unreadable"
  /** An answer was never stored: its time is over, or too many waited. */
  | "answer_not_stored"
  /** Two processes handled an event. */
  | "handled_twice";

/** Shared by every copy of this major version: an inbox throws to the handler of another entry, which has its own class. */
const mark: unique symbol = Symbol.for("@call-transfer/sdk/1/receiving-error");

/** An error with its code. */
export class CodedError extends Error {
  readonly code: WebhookErrorCode;

  constructor(message: string, code: WebhookErrorCode, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }

  get [mark](): true {
    return true;
  }
}

/** Whether an error has a code of this package, also if another copy of it made the error. */
export const isCoded = (error: unknown): error is CodedError => Object(error)[mark] === true;

/** The code of an error, or the other one if it has none. */
export const codeOf = (error: unknown, otherwise: WebhookErrorCode): WebhookErrorCode =>
  isCoded(error) ? error.code : otherwise;
