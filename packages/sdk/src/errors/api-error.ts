import { codesWithFieldErrors } from "../generated/constants.gen.ts";
import type { ErrorCode, ErrorCodeStatus, ErrorCodeWithFieldErrors } from "../generated/error-codes.gen.ts";
import type { ErrorResponseMeta, FieldError } from "../generated/models.gen.ts";
import { isObject, isText } from "../utils/guards.ts";
import { fieldErrorsIn, formatMessage, maxBodyText } from "./api-error-message.ts";
import { kind, setFacts } from "./base.ts";
import type { ApiErrorDetails } from "./details.ts";
import { RequestError } from "./request-error.ts";

/** Error codes of a status, and those without a status in the specification, which a server may send with any. */
export interface WithStatus<Status extends number> {
  readonly code:
    | {
        [C in ErrorCode]: number extends ErrorCodeStatus[C] ? C : ErrorCodeStatus[C] extends Status ? C : never;
      }[ErrorCode]
    | undefined;
}

/** Types of the properties that a code decides. */
export interface WithCode<C extends ErrorCode> {
  /** The code (§7.2). */
  readonly code: C;
  /** HTTP status of the code. */
  readonly status: ErrorCodeStatus[C];
  /** Failing fields (§7.3). Always there for codes that list them. */
  readonly errors: C extends ErrorCodeWithFieldErrors ? readonly FieldError[] : readonly FieldError[] | undefined;
}

/** A class of errors as a union by code, which `switch (error.code)` narrows. */
export type ByCode<E extends ApiError, C = E["code"]> = C extends ErrorCode
  ? E & WithCode<C>
  : E & { readonly code: C };

/** An `ApiError` with one of the given codes. The code decides the types of `status` and `errors`. */
export type ApiErrorOf<C extends ErrorCode> = ByCode<ApiError, C>;

/** Any `ApiError`, as a union that `switch (error.code)` narrows. */
export type AnyApiError = ByCode<ApiError>;

/**
 * The API answered with an error (§2.6). To narrow it, use `isApiError(error, "validation_failed")`,
 * `switch (error.code)` or a subclass.
 */
export class ApiError extends RequestError {
  /** @internal */
  static override readonly [kind]: string = "ApiError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyApiError;

  /**
   * Machine-readable error code (§7.2). Undefined where the body is not the API's, e.g. a proxy's page. May be a code
   * that is newer than this SDK version.
   */
  declare readonly code: ErrorCode | undefined;
  /** HTTP status. Where the class is `ApiError` itself, 0 is a redirect that the browser hides. */
  declare readonly status: number;
  /** Short title of the error's category. */
  declare readonly title: string | undefined;
  /** Explanation of this error. */
  declare readonly detail: string | undefined;
  /** Failing fields (§7.3). Entries without a field and a code are left out; `body` has all of them. */
  declare readonly errors: readonly FieldError[] | undefined;
  /** Extra context, such as `retryAfterSecs` or `resetsAt`. */
  declare readonly meta: Readonly<ErrorResponseMeta> | undefined;
  /** Seconds to wait, as requested by `meta.retryAfterSecs` or a `Retry-After` header: the longer of both. */
  declare readonly retryAfterSecs: number | undefined;
  /**
   * The whole error body, tokens redacted and phone numbers masked. Undefined where it is not a JSON object, or nests deeper
   * than 64 levels.
   */
  declare readonly body: Readonly<Record<string, unknown>> | undefined;
  /** First 2,000 characters of a body that is no JSON object, e.g. a proxy's page, tokens redacted. */
  declare readonly bodyText: string | undefined;
  /** Response headers. */
  declare readonly headers: Headers;

  /** Tests of your own code can create one: `new RateLimitError({ status: 429, … })`. The SDK writes the message. */
  constructor(details: ApiErrorDetails) {
    super(formatMessage(details), details);
    const { body, bodyText, status, requestId, retryAfterSecs, headers = new Headers() } = details;
    const { code, title, detail, errors, meta, requestId: bodyRequestId } = body ?? {};
    const text = (value: unknown) => (isText(value) ? value : undefined);
    setFacts(this, {
      code: text(code),
      status,
      title: text(title),
      detail: text(detail),
      errors: fieldErrorsIn(errors) ?? (codesWithFieldErrors.includes(code as string) ? [] : undefined),
      meta: isObject(meta) ? meta : undefined,
      retryAfterSecs,
      requestId: requestId ?? text(bodyRequestId),
      bodyText: bodyText?.slice(0, maxBodyText),
    });
    // Not enumerable, so not in logs: headers are long, and a proxy may put anything there. The body repeats the facts above.
    Object.defineProperty(this, "headers", { value: headers });
    Object.defineProperty(this, "body", { value: body });
  }

  /** Returns the error as plain data for logs, with the whole error body. */
  override toJSON(): object {
    return { ...super.toJSON(), body: this.body };
  }
}

/** Whether a value is an error response of the API. */
export function isApiError(value: unknown): value is AnyApiError;
/** Whether a value is an error response of the API with one of the codes. */
export function isApiError<const C extends ErrorCode>(
  value: unknown,
  ...codes: [code: C, ...more: C[]]
): value is ApiErrorOf<C>;
export function isApiError(value: unknown, ...codes: string[]): boolean {
  return value instanceof ApiError && (codes.length === 0 || codes.includes(value.code ?? ""));
}
