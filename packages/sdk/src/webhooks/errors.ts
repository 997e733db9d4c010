// Errors of webhooks: their codes, the responses that they become, and what a handler without `onError` prints.
import { messageOf } from "../utils/guards.ts";
import { onceAMinute, type PrintedCauses } from "../utils/once-a-minute.ts";
import { excerpt, maskNumbers } from "../utils/redact.ts";

/** Why a webhook was rejected, or what an operator should know. A later version may add codes: write a default case. */
export type WebhookErrorCode =
  /** The signature header is missing or malformed. */
  | "invalid_signature_header"
  /** No signature matches: another secret, a changed body, or a forgery. */
  | "signature_mismatch"
  /** The signature is genuine, but its time differs by more than `toleranceMs`: a clock that is off, or a replay. */
  | "timestamp_out_of_tolerance"
  /** The signature is genuine, but the body is not an event. */
  | "invalid_event"
  /** The body cannot be verified: it was read or parsed before. */
  | "body_already_read"
  /** The body is larger than 1 MiB. */
  | "body_too_large"
  /** The request is not a POST, or not an HTTP request. */
  | "invalid_request"
  /** The function for `secret` failed, or a secret is missing. */
  | "secret_lookup_failed"
  /** `onEvent` threw, returned neither nothing nor a `Response`, or ended the transaction of the inbox. */
  | "handler_failed"
  /** The response could not be sent. */
  | "response_not_sent"
  /** A duplicate waited for the first response for `duplicateWaitMs`. */
  | "duplicate_timeout"
  /** The store took longer than `storeTimeoutMs`, was busy for `duplicateWaitMs`, or the database of the inbox did not answer. */
  | "store_timeout"
  /** The store failed, or returned what the interface does not allow. Or the database of the inbox failed. */
  | "store_failed"
  /** The memory of a process is full: it evicts responses while duplicates may still arrive. */
  | "store_evicted_early"
  /** This version cannot read the stored response. */
  | "stored_response_unreadable"
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

const isCoded = (error: unknown): error is CodedError => Object(error)[mark] === true;

/** The code of an error, or the other one if it has none. */
export const codeOf = (error: unknown, otherwise: WebhookErrorCode): WebhookErrorCode =>
  isCoded(error) ? error.code : otherwise;

/** A webhook that gets another response than its handler's. The message is sent unless the status is 500. */
export class Rejection extends CodedError {
  override readonly name = "WebhookRejection";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: WebhookErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    cause?: unknown,
  ) {
    super(message, code, cause);
    this.status = status;
    this.headers = headers;
  }
}

/** Whether an error is a rejection, also if another copy of this package made it. */
export const isRejection = (error: unknown): error is Rejection => isCoded(error) && "status" in error;

export const unavailable = (
  code: WebhookErrorCode,
  cause?: unknown,
  message = "The webhook cannot be handled now. Send it again.",
): Rejection => new Rejection(503, code, message, { "retry-after": "1" }, cause);

/** What failed, and what to do where the error does not say it. */
const failures = {
  request: ["rejected a request", ""],
  secrets: ["no secret to verify with", "Fix it. Until then, offers get a 500."],
  newSecrets: ["the function for secret failed", "Fix it. Until then, its last secrets remain in use."],
  signature: ["rejected a webhook", "If the platform sent it, its event was not handled."],
  event: ["onEvent failed", "The sender gets no details. Fix onEvent: a duplicate of the event is handled again."],
  store: ["the event store failed", "Check the store. Until it works, onStoreError decides what happens to events."],
  inbox: ["the inbox reported an error", "After a failure of the database, a duplicate is handled again."],
  warning: ["warning", ""],
  response: ["the response could not be sent", "The event was handled. Check the server and its timeouts."],
} as const;

/** The part of a handler that failed. */
export type Step = keyof typeof failures;

/** What failed, why, and what to do, in one line. */
export function describeFailure(step: Step, error: unknown): string {
  const [what, advice] = failures[step];
  const { cause } = Object(error) as { cause?: unknown };
  const reason = cause === undefined ? "" : ` (${messageOf(cause)})`;
  const line = excerpt(maskNumbers(`${messageOf(error)}${reason}`), 500).replace(/\w$/, "$&.");
  return `${what}: ${line} ${advice}`.trim();
}

/** Prints a failure on the console in one line: once a cause and a minute. */
export function printFailure(printed: PrintedCauses, step: Step, error: unknown): void {
  const line = describeFailure(step, error);
  // The age of a signature differs each time.
  const repeats = onceAMinute(printed, `${step} ${line.replace(/\d+/g, "0")}`, Date.now());
  // biome-ignore lint/suspicious/noConsole: the default of onError
  if (repeats !== undefined) console.error(`call-transfer: ${line}${repeats}`);
}
