import type { FindCandidates, OutcomeWindow, Reconciliation } from "../core/reconcile.ts";
import type { ErrorCode, ErrorCodeStatus, ErrorCodeWithFieldErrors } from "../generated/error-codes.gen.ts";
import type { ErrorResponseMeta, FieldError } from "../generated/models.gen.ts";
import { codesWithFieldErrors } from "../generated/operations.gen.ts";
import type { RequestOptions } from "../options/options.ts";
import type { RequestOutcome } from "../send/retry.ts";
import { isFunction, isObject, isText } from "../utils/guards.ts";
import { excerpt } from "../utils/redact.ts";

/** One sending of a request. Holds no secrets. */
export interface Attempt {
  /** When it was sent, in milliseconds since 1970. */
  readonly startedAt: number;
  status?: number;
  code?: string;
  requestId?: string;
  /** Milliseconds waited after it, before the next one. */
  delayMs?: number;
  /** What failed, in words, when no whole answer came. */
  error?: string;
}

/** What every error of a request carries besides its message. */
export interface RequestErrorDetails {
  /** What the request did to the server, over all attempts. */
  readonly outcome: RequestOutcome;
  /** Every sending, in order. */
  readonly attempts: readonly Attempt[];
  /** The operationId, or method and path of an operation that this version does not know. */
  readonly operationId: string;
  /** Why no retry followed although one was left; undefined where none was called for, and after the last one. */
  readonly retrySkippedReason: string | undefined;
}

/** The key is shared by every copy of this major version, so that `instanceof` works across ESM and CJS copies. */
const kind: unique symbol = Symbol.for("@call-transfer/sdk/1/error-kind");

/** Any error that this SDK throws of its own accord; bad ids throw a plain `TypeError`. */
export class CallTransferError extends Error {
  /** @internal */
  static readonly [kind]: string = "CallTransferError";

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A customer's own subclass has no kind of its own: there the prototype decides.
    if (!Object.hasOwn(this, kind)) return super[Symbol.hasInstance](value);
    let candidate: unknown = isObject(value) && value.constructor;
    while (isFunction(candidate)) {
      if ((candidate as { [kind]?: unknown })[kind] === this[kind]) return true;
      candidate = Object.getPrototypeOf(candidate);
    }
    return false;
  }

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    // Written out, since bundlers shorten the names of classes.
    Object.defineProperty(this, "name", { value: new.target[kind], configurable: true });
  }

  /** The error as plain data for logs. */
  toJSON(): object {
    return { ...this, name: this.name, message: this.message };
  }
}

/** An option is missing or unusable. Nothing was sent. */
export class ConfigurationError extends CallTransferError {
  /** @internal */
  static override readonly [kind]: string = "ConfigurationError";
  /** The option to change. */
  readonly option: string;

  constructor(option: string, mend: string) {
    super(`${option} ${mend}`);
    this.option = option;
  }
}

/** A request that was started did not succeed. */
export class RequestError extends CallTransferError implements RequestErrorDetails {
  /** @internal */
  static override readonly [kind]: string = "RequestError";
  declare readonly outcome: RequestOutcome;
  declare readonly attempts: readonly Attempt[];
  declare readonly operationId: string;
  declare readonly retrySkippedReason: string | undefined;

  constructor(
    message: string,
    { outcome, attempts, operationId, retrySkippedReason }: RequestErrorDetails,
    cause?: unknown,
  ) {
    super(message, cause);
    Object.assign(this, { outcome, attempts, operationId, retrySkippedReason });
  }
}

/** The class of an error that takes nothing but what is known of the request. */
export type FailureKind = new (message: string, facts: RequestErrorDetails, cause?: unknown) => RequestError;

/** The connection could not be made or was lost. */
export class ConnectionError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "ConnectionError";
}

/** An attempt, or all of them together, took longer than allowed. */
export class TimeoutError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "TimeoutError";
}

/** The caller's signal aborted the request; the signal's reason is the `cause`. */
export class AbortError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "AbortError";
}

/**
 * A success came whose body is not what it should be. Where it is JSON that is cut short or too large, the request was
 * carried out (`outcome` is `applied`). Where it is no JSON, such as a login page's, something else than the API may have
 * answered: the `outcome` is `unknown`.
 */
export class InvalidResponseError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "InvalidResponseError";
}

/** What an `OutcomeUnknownError` is made of. */
export interface OutcomeUnknownErrorDetails extends RequestErrorDetails {
  readonly window: OutcomeWindow;
  readonly partialBody?: string | undefined;
  readonly findCandidates: FindCandidates | undefined;
  readonly findOptions: RequestOptions;
}

/**
 * Nobody can tell whether an operation that must not be repeated blindly was carried out, or what it gave: e.g. a call
 * placement whose answer was lost. Look before sending it again (§8.3). The `cause` says how the last attempt ended.
 */
export class OutcomeUnknownError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "OutcomeUnknownError";
  /** When it may have been carried out, by the server's clock. */
  readonly window: OutcomeWindow;
  /** What came of a success's body before it broke off; not shown when the error is printed. */
  declare readonly partialBody: string | undefined;
  readonly #look: () => Promise<Reconciliation> | undefined;

  constructor(message: string, facts: OutcomeUnknownErrorDetails, cause: unknown) {
    super(message, facts, cause);
    const { window, partialBody, findCandidates, findOptions } = facts;
    this.window = window;
    this.#look = () => findCandidates?.(window, findOptions);
    Object.defineProperty(this, "partialBody", { value: partialBody });
  }

  /**
   * Looks at what the server shows of the time in which the request may have been carried out. For a call placement it
   * reads the call list of the same account; an empty list is no proof.
   */
  async reconcile(): Promise<Reconciliation> {
    const explanation = `There is nothing to look at for ${this.operationId}: ask a person before sending it again.`;
    return this.#look() ?? { candidates: [], complete: false, explanation };
  }
}

/** An error body as it came, secrets replaced; undefined where it was no JSON object. */
export type Problem = Readonly<Record<string, unknown>> | undefined;

/** An error whose `code` decides the types of the rest. */
export type ApiErrorOf<C extends ErrorCode | undefined> = C extends unknown ? ApiError<C> : never;

/** Any error that the API answered: a union that `switch (error.code)` narrows. */
export type AnyApiError = ApiErrorOf<ErrorCode | undefined>;

/** What an `ApiError` is made of. */
export interface ApiErrorDetails extends RequestErrorDetails {
  readonly status: number;
  readonly problem?: Problem;
  readonly bodyText?: string | undefined;
  readonly requestId: string | undefined;
  readonly headers: Headers;
  readonly retryAfterSecs: number | undefined;
}

/** Characters of a body that is not the API's: enough to recognize a proxy's page. */
const longestBodyText = 2000;

/**
 * The API answered with an error (§2.6). Narrow it with `isApiError(error, "validation_failed")`, by
 * `switch (error.code)`, or by subclass.
 */
export class ApiError<C extends ErrorCode | undefined = ErrorCode | undefined> extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "ApiError";

  static override [Symbol.hasInstance](value: unknown): value is AnyApiError {
    return CallTransferError[Symbol.hasInstance].call(this, value);
  }

  /**
   * The machine-readable code; undefined where the body is not the API's own, e.g. a proxy's page. A code newer than
   * this version of the SDK arrives as it is.
   */
  declare readonly code: C;
  /** The HTTP status; 0 for a redirect that a browser hides, and for a response without one. */
  declare readonly status: C extends ErrorCode ? ErrorCodeStatus[C] : number;
  /** Short title of the error's category. */
  declare readonly title: string | undefined;
  /** Explanation of this instance. */
  declare readonly detail: string | undefined;
  /** What is wrong, field by field. Entries without a field and a code are left out; `problem` has them all. */
  declare readonly errors: C extends ErrorCodeWithFieldErrors
    ? readonly FieldError[]
    : readonly FieldError[] | undefined;
  /** Extra context such as `retryAfterSecs` or `resetsAt`. */
  declare readonly meta: Readonly<ErrorResponseMeta> | undefined;
  /** Seconds that the server asked to wait, in `meta.retryAfterSecs` or a `Retry-After` header. */
  declare readonly retryAfterSecs: number | undefined;
  /** Name it to support. */
  declare readonly requestId: string | undefined;
  /** The whole error body as it came, tokens replaced; undefined where it was no JSON object. */
  declare readonly problem: Problem;
  /** Where the body was no JSON object, e.g. a proxy's page: its first 2,000 characters, tokens replaced. */
  declare readonly bodyText: string | undefined;
  /** Headers of the answer. */
  declare readonly headers: Headers;

  constructor(facts: ApiErrorDetails) {
    super(withReason(messageFor(facts), facts), facts);
    const { problem, bodyText, status, requestId, retryAfterSecs, headers } = facts;
    const { code, title, detail, errors, meta, requestId: written } = problem ?? {};
    const text = (value: unknown) => (isText(value) ? value : undefined);
    Object.assign(this, {
      code: text(code),
      status,
      title: text(title),
      detail: text(detail),
      errors: fieldErrors(errors) ?? (codesWithFieldErrors.includes(code as string) ? [] : undefined),
      meta: isObject(meta) ? meta : undefined,
      retryAfterSecs,
      requestId: requestId ?? text(written),
      problem,
      bodyText: bodyText?.slice(0, longestBodyText),
    });
    // Left out of logs and toJSON: headers are long, and a proxy may put anything there.
    Object.defineProperty(this, "headers", { value: headers });
  }
}

/** A message with why no retry followed. */
export const withReason = (message: string, { retrySkippedReason }: RequestErrorDetails): string =>
  retrySkippedReason === undefined ? message : `${message}; not retried: ${retrySkippedReason}`;

/** The entries of a list that name a field and a code, whatever else a server put there. */
const fieldErrors = (errors: unknown): FieldError[] | undefined =>
  Array.isArray(errors)
    ? errors.filter((error): error is FieldError => isText(error?.field) && isText(error?.code))
    : undefined;

/** The failing fields in a few words, since logs often hold nothing but the message. */
function fieldsOf(errors: readonly FieldError[] = []): string {
  if (errors.length === 0) return "";
  const words = errors.slice(0, 5).map(({ field, code }) => `${excerpt(field, 100)} ${excerpt(code, 100)}`);
  return ` (${words.join(", ")}${errors.length > 5 ? ", …" : ""})`;
}

/** What a body says that is not the API's: its text, or the title of a page. */
function quoted(bodyText = ""): string {
  const start = bodyText.slice(0, longestBodyText);
  const [, title] = /<title[^>]*>([^<]+)/i.exec(start) ?? [];
  const words = excerpt(title ?? (/^\s*</.test(start) ? "" : start), 200);
  return words && `: "${words}"`;
}

function messageFor({ status, problem, bodyText, operationId, requestId, outcome }: ApiErrorDetails): string {
  const { code, detail, errors } = problem ?? {};
  const said = isText(code)
    ? ` ${excerpt(code, 100)}${isText(detail) ? `: ${excerpt(detail)}` : ""}${fieldsOf(fieldErrors(errors))}`
    : ` without an error body of the API${quoted(bodyText)}`;
  const isRedirect = status < 400 && status !== 304 && outcome === "rejected";
  const words = isRedirect ? ", a redirect, which is not followed: is baseUrl right?" : said;
  // An answer that refuses leaves the outcome open only after an attempt that may have been carried out.
  const own =
    status === 409 &&
    outcome === "unknown" &&
    "; an earlier attempt, whose answer was lost, may have caused this conflict itself";
  return `${operationId} answered ${status}${words}${requestId ? ` (request ${excerpt(requestId, 100)})` : ""}${own || ""}`;
}

/** 400: the request is malformed or breaks a rule. */
export class BadRequestError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "BadRequestError";
}
/** 401: the credential is missing, expired or invalid (§5). */
export class AuthenticationError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "AuthenticationError";
}
/** 402: the account must pay or upgrade first. */
export class PaymentRequiredError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "PaymentRequiredError";
}
/** 403: the caller may not do this (§5). */
export class PermissionDeniedError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "PermissionDeniedError";
}
/** 404: the resource does not exist in the account. */
export class NotFoundError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "NotFoundError";
}
/** 409: the request conflicts with what exists. */
export class ConflictError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "ConflictError";
}
/** 410: what the request names has expired. */
export class GoneError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "GoneError";
}
/** 422: a business rule forbids the request. */
export class UnprocessableEntityError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "UnprocessableEntityError";
}
/** 429: a rate limit, a full queue or a used-up quota; see `meta`. */
export class RateLimitError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "RateLimitError";
}
/** 5xx: the platform, or something in front of it, failed. */
export class ServerError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "ServerError";
}

const errorsByStatus: Readonly<Record<number, new (facts: ApiErrorDetails) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  422: UnprocessableEntityError,
  429: RateLimitError,
};

/** The error of the class that goes with the status. */
export function apiErrorOf(facts: ApiErrorDetails): ApiError {
  const ErrorClass = errorsByStatus[facts.status] ?? (facts.status >= 500 ? ServerError : ApiError);
  return new ErrorClass(facts);
}

/** Whether a value is an error that the API answered. */
export function isApiError(value: unknown): value is AnyApiError;
/** Whether a value is an error that the API answered with one of the codes. */
export function isApiError<const C extends ErrorCode>(value: unknown, ...codes: [C, ...C[]]): value is ApiErrorOf<C>;
export function isApiError(value: unknown, ...codes: string[]): boolean {
  return value instanceof ApiError && (codes.length === 0 || codes.includes(value.code ?? ""));
}
